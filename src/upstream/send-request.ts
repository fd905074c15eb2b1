import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import type { PausableDeadline } from '../pausable-deadline.ts';
import type { CallContext } from './calls.ts';
import type { Connection } from './connect.ts';
import { answerWith } from './errors.ts';

interface Request {
  method: string;
  params: JsonObject;
  headers: Record<string, string>;
}

const RAW = z.unknown();
/** The SDK's own clock cannot stand still while somebody is asked. */
const NEVER_MS = 2 ** 31 - 1;

/** Sends one request, and asks its caller what the server wants to know for it. */
export async function exchange(
  { client }: Connection,
  { method, params, headers }: Request,
  call: CallContext,
  patience: PausableDeadline,
): Promise<JsonObject> {
  const { signal, release } = whicheverFirst(call.signal, patience);
  const options = {
    headers,
    timeout: NEVER_MS,
    // Asked for always: progress is what keeps a long call from timing out.
    onprogress: (progress: JsonObject) => {
      patience.restart();
      call.onprogress?.(progress);
    },
    allowInputRequired: true,
    signal,
  };
  let next = params;
  try {
    for (;;) {
      const result = (await client.request({ method, params: next }, RAW, options)) as JsonObject;
      if (result?.resultType !== 'input_required' || call.handsBackQuestions) return result;
      const answers = await patience.pauseDuring(() => answerWith(result, call));
      patience.restart();
      next = { ...params, ...answers };
    }
  } finally {
    release();
  }
}

/** A signal that a call is given up, by its caller or because its server has been silent for too long. */
function whicheverFirst(
  given: AbortSignal | undefined,
  patience: PausableDeadline,
): { signal: AbortSignal; release: () => void } {
  const giveUp = new AbortController();
  const cancel = () => giveUp.abort(given?.reason);
  if (given?.aborted) cancel();
  given?.addEventListener('abort', cancel, { once: true });
  const stop = patience.onExpiry(() => giveUp.abort(new Error('The server did not answer in time.')));
  return {
    signal: giveUp.signal,
    release: () => {
      stop();
      given?.removeEventListener('abort', cancel);
    },
  };
}
