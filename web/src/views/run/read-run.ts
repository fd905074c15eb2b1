import { ApiError, apiPath, get } from '../../api/client.ts';
import type { Run } from '../../api/types.ts';

const CALLS = 1000;
const RETRY_MS = 250;
const MAX_TRIES = 12;

/** Reads a run. Retries for a while, since a run that has just ended may not be in the journal yet. */
export async function readRun(id: string, signal: AbortSignal): Promise<Run> {
  for (let tries = 1; ; tries++) {
    try {
      return await get<Run>(apiPath('runs', id), { calls_limit: CALLS }, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404 || tries === MAX_TRIES || signal.aborted)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
