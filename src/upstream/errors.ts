import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Redactor } from '../secrets/index.ts';
import { storedText } from '../stored-texts.ts';
import { describeProblem } from './describe-problem.ts';
import type { ServerDefinition } from './server-definition.ts';
import { isInvalidAnswer } from './transport/invalid-answer.ts';

/** The error for a server that is down. */
export function unavailableError(
  server: Pick<ServerDefinition, 'name' | 'cannotStart'>,
  problem = 'was stopped',
): PmlError {
  return new PmlError('upstream_unreachable', `Server "${server.name}" is not available: it ${problem}.`, {
    hint:
      server.cannotStart === undefined
        ? 'Run `pml doctor` to see what is wrong with it. PML keeps trying.'
        : 'Ask the user to fix it, and to reconnect.',
  });
}

interface FailedCall {
  server: string;
  method: string;
  params: JsonObject;
  /** Why the connection closed, if it did. */
  closeReason: string | undefined;
  /** The server has been silent for longer than it may. */
  isTimedOut: boolean;
}

const CONNECTION_LOST: readonly unknown[] = [
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
];

/** Turns the error of a call into one that names the server and the problem. A server's own error is passed on as it is. */
export function upstreamError(
  error: unknown,
  { server, method, params, closeReason, isTimedOut }: FailedCall,
): unknown {
  if (error instanceof PmlError) return error;
  const what = typeof params.name === 'string' ? `"${params.name}"` : method;
  if (isTimedOut) {
    return new PmlError('upstream_timeout', `Server "${server}" did not answer ${what} in time.`, {
      hint: `Raise "pml": {"timeoutMs": …} on server "${server}" if it needs longer.`,
      cause: error,
    });
  }
  if (isInvalidAnswer(error)) {
    return new PmlError('upstream_failed', `Server "${server}" answered ${what} with an invalid result.`, {
      hint: 'This is a fault of that server.',
    });
  }
  if (error instanceof SdkError && CONNECTION_LOST.includes(error.code)) {
    return new PmlError(
      'upstream_failed',
      `Server "${server}" ${closeReason ?? 'closed the connection'} while answering ${what}.`,
      { hint: 'PML starts it again; it is not known whether the call took effect.', cause: error },
    );
  }
  const isServerError =
    !(error instanceof SdkError) && Number.isSafeInteger((error as { code?: unknown } | undefined)?.code);
  if (isServerError) return error;
  const message = `Server "${server}" failed at ${what}: it ${describeProblem(error)}.`;
  return new PmlError('upstream_failed', message, { cause: error });
}

/** Hides secrets in PML's own words about a failure: they may quote the config. */
export function redactError(error: unknown, redactor: Redactor | undefined): unknown {
  if (!(error instanceof PmlError)) return error;
  const { code, message, hint, cause } = error;
  return new PmlError(code, storedText('problem', message, redactor), { cause, ...(hint && { hint }) });
}

/** The error that tells a server why PML refuses its request. Servers show only the message, so it includes the hint. */
export function refusalError(error: unknown): unknown {
  if (!(error instanceof PmlError)) return error;
  const message = error.hint ? `${error.message} ${error.hint}` : error.message;
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message, { code: error.code });
}
