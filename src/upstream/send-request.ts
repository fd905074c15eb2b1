import { z } from 'zod';
import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { PausableDeadline } from '../pausable-deadline.ts';
import type { CallContext } from './active-calls.ts';
import type { ConnectedClient } from './connect.ts';

interface Request {
  method: string;
  params: JsonObject;
  headers: Record<string, string>;
}

const ANY_RESULT = z.unknown();
/** Disables the SDK's own timeout, which cannot pause while the caller is asked. Longer ones overflow setTimeout. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Sends one request. If the server needs input for it, asks the caller and sends it again with the answers. */
export async function sendRequest(
  { client, calls }: ConnectedClient,
  { method, params, headers }: Request,
  call: CallContext,
  deadline: PausableDeadline,
): Promise<JsonObject> {
  const onprogress = (progress: JsonObject) => {
    deadline.restart();
    call.onprogress?.(progress);
  };
  if (calls && method === 'tools/call')
    return calls.call(params, { signal: call.signal, deadline, onprogress });
  const { signal, release } = abortOnCancelOrTimeout(call.signal, deadline);
  // Progress is always requested: it keeps a long call from timing out.
  const options = { headers, timeout: NO_TIMEOUT_MS, onprogress, allowInputRequired: true, signal };
  let next = params;
  try {
    for (;;) {
      const result = (await client.request({ method, params: next }, ANY_RESULT, options)) as JsonObject;
      if (result?.resultType !== 'input_required' || call.takesInputRequired) return result;
      const answers = await deadline.pauseDuring(() => answerInputRequests(result, call));
      deadline.restart();
      next = { ...params, ...answers };
    }
  } finally {
    release();
  }
}

/** Puts the requests of an `input_required` result to a caller of the older era, and returns the parameters of the retry. */
async function answerInputRequests(result: JsonObject, call: CallContext): Promise<JsonObject> {
  const requests = Object.entries((result.inputRequests ?? {}) as Record<string, JsonObject>);
  const answers = await Promise.all(
    requests.map(async ([key, request]) => {
      const { method, params } = request as { method: string; params?: JsonObject };
      if (!call.ask) throw new PmlError('bad_request', `The client does not support ${method}.`);
      return [key, await call.ask({ method, params })] as const;
    }),
  );
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(result.requestState !== undefined && { requestState: result.requestState }),
  };
}

/** Makes a signal that aborts when the caller cancels, or when the server has been silent for too long. */
function abortOnCancelOrTimeout(
  callerSignal: AbortSignal | undefined,
  deadline: PausableDeadline,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const cancel = () => controller.abort(callerSignal?.reason);
  if (callerSignal?.aborted) cancel();
  callerSignal?.addEventListener('abort', cancel, { once: true });
  const stop = deadline.onExpiry(() => controller.abort(new Error('The server did not answer in time.')));
  return {
    signal: controller.signal,
    release: () => {
      stop();
      callerSignal?.removeEventListener('abort', cancel);
    },
  };
}
