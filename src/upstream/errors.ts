import {
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { CallContext } from './calls.ts';
import { problemOf } from './describe-problem.ts';

interface Circumstances {
  server: string;
  method: string;
  params: JsonObject;
  /** Why the connection is gone, if it is. */
  ending: string | undefined;
  /** The server has been silent for longer than it may. */
  isLate: boolean;
}

/** Stands for an answer that is neither a result nor an error of JSON-RPC. */
const INVALID_ANSWER = -32098;

export function invalidAnswer(id: unknown): JSONRPCMessage {
  return { jsonrpc: '2.0', id: id as RequestId, error: { code: INVALID_ANSWER, message: 'Invalid answer' } };
}

/** Says what went wrong in a call, and with which server. A server's own error is passed on as it is. */
export function failureOf(
  error: unknown,
  { server, method, params, ending, isLate }: Circumstances,
): unknown {
  if (error instanceof PmlError) return error;
  const what = typeof params.name === 'string' ? `"${params.name}"` : method;
  if (isLate) {
    return new PmlError('upstream_timeout', `Server "${server}" did not answer ${what} in time.`, {
      hint: `Raise "pml": {"timeoutMs": …} on server "${server}" if it needs longer.`,
      cause: error,
    });
  }
  if ((error as { code?: unknown })?.code === INVALID_ANSWER) {
    return new PmlError('upstream_failed', `Server "${server}" answered ${what} with no valid result.`, {
      hint: 'This is a fault of that server.',
    });
  }
  if (!(error instanceof SdkError)) {
    return Number.isSafeInteger((error as { code?: unknown })?.code)
      ? error
      : new PmlError('upstream_failed', `Server "${server}" failed at ${what}: it ${problemOf(error)}.`, {
          cause: error,
        });
  }
  switch (error.code) {
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return new PmlError(
        'upstream_failed',
        `Server "${server}" ${ending ?? 'closed the connection'} while answering ${what}.`,
        { hint: 'PML starts it again; it is not known whether the call took effect.', cause: error },
      );
    default:
      return new PmlError(
        'upstream_failed',
        `Server "${server}" failed at ${what}: it ${problemOf(error)}.`,
        {
          cause: error,
        },
      );
  }
}

/** What a server is told whose question PML does not pass on. It shows its users the message alone, so the hint is in it. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof PmlError)) return error;
  const message = error.hint ? `${error.message} ${error.hint}` : error.message;
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message, { code: error.code });
}

/** Puts the questions of an `input_required` result to a caller of the older era, and shapes the retry. */
export async function answerWith(result: JsonObject, call: CallContext): Promise<JsonObject> {
  const questions = Object.entries((result.inputRequests ?? {}) as Record<string, JsonObject>);
  const answers = await Promise.all(
    questions.map(async ([key, question]) => {
      const { method, params } = question as { method: string; params?: JsonObject };
      if (!call.ask) throw new PmlError('bad_request', `The client does not support ${method}.`);
      return [key, await call.ask({ method, params })] as const;
    }),
  );
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(result.requestState !== undefined && { requestState: result.requestState }),
  };
}
