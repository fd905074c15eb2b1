import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { rowId } from '../../runs/index.ts';
import type { View } from './view.ts';

/** How a run ended, with all that pml_execute answers. */
export type Ran = JsonObject & {
  /** Null if nothing ran. */
  run: string | null;
  ok: boolean;
  ms: number;
  result: unknown;
  error?: { code: string; message: string; hint?: string };
};

/** Runs code or a capability through pml_execute. A failure is an answer, too: whoever ran it wants to see the run. */
export async function executeForPage({ client, gateway, signal }: View, args: JsonObject): Promise<Ran> {
  const runId = rowId();
  let run: string | null = null;
  // A call that is refused before it runs is not journaled, so it has no run to show.
  const stopListening = gateway.resources.journal.on((_usage, { id }) => {
    if (id === runId) run = id;
  });
  const started = performance.now();
  const ms = () => Math.round((performance.now() - started) * 100) / 100;
  try {
    const answer = await client.callOwn('pml_execute', args, { signal, runId });
    return { ...answer, run, ok: true, ms: ms(), result: answer.result ?? null };
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    // Nothing was run: the request itself was wrong.
    if (error.code === 'capability_not_found' || error.code === 'not_allowed') throw error;
    const { code, message, hint } = error;
    return { run, ok: false, ms: ms(), result: null, error: { code, message, ...(hint && { hint }) } };
  } finally {
    stopListening();
  }
}
