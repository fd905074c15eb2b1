import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { ERRORS, PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { cutText, isTooDeep, MAX_JSON_NESTING } from '../../json-size.ts';
import type { Log } from '../../log.ts';
import type { ClientRequest } from '../session/client-request.ts';
import type { Session } from '../session/session.ts';

/** Errors may quote a whole request, or a whole answer of a server. */
const MAX_ERROR = 50_000;

/** Answers one request with a result that its client can take. Throws only protocol errors. */
export async function answerRequest(
  log: Log,
  session: Session,
  method: string,
  params: JsonObject,
  request: ClientRequest,
): Promise<JsonObject> {
  try {
    refuseDeep(params, 'invalid_arguments', 'The request');
    const result = await session.answer(method, params, request);
    refuseDeep(result, 'upstream_failed', 'The answer');
    return method === 'tools/call' ? forClient(result, request) : result;
  } catch (error) {
    throw asProtocolError(error, log, method);
  }
}

/** Refuses data that the transports cannot write: they would drop it silently, and its sender would wait for ever. */
function refuseDeep(value: JsonObject, code: 'invalid_arguments' | 'upstream_failed', what: string): void {
  if (!isTooDeep(value)) return;
  throw new PmlError(
    code,
    `${what} is nested too deeply: more than ${MAX_JSON_NESTING} levels cannot be sent.`,
    {
      hint: 'Use flatter data, or send it as JSON in a text.',
    },
  );
}

/** Fits structured content to the client's era: older clients accept only objects. A text block repeats it for all. */
function forClient(result: JsonObject, { era }: ClientRequest): JsonObject {
  const { structuredContent, content } = result;
  if (structuredContent === undefined || isJsonObject(structuredContent)) return result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const hasText = blocks.some((block) => isJsonObject(block) && block.type === 'text');
  const text = { type: 'text', text: JSON.stringify(structuredContent) };
  return {
    ...result,
    ...(!hasText && { content: [...blocks, text] }),
    ...(era === 'legacy' && { structuredContent: { result: structuredContent } }),
  };
}

function asProtocolError(error: unknown, log: Log, method: string): Error {
  if (error instanceof PmlError) {
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    const code =
      ERRORS[error.code] === 'caller' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return new ProtocolError(code, cutText(message, MAX_ERROR), { code: error.code });
  }
  if (isProtocolError(error)) {
    const { code, message, data } = error;
    return message.length > MAX_ERROR ? new ProtocolError(code, cutText(message, MAX_ERROR), data) : error;
  }
  log.error(`${method} failed inside PML: ${error instanceof Error ? error.stack : String(error)}`);
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    `PML failed at ${method}. Its log has the details.`,
  );
}

function isProtocolError(error: unknown): error is Error & { code: number; data?: unknown } {
  return error instanceof Error && Number.isSafeInteger((error as { code?: unknown }).code);
}
