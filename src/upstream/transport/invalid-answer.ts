import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** Marks an answer that is neither a result nor an error of JSON-RPC. */
const INVALID_ANSWER = -32098;

/**
 * Replaces an answer that is no valid JSON-RPC response. The SDK would drop it silently, and the call would wait for
 * its timeout.
 */
export function invalidAnswer(id: unknown): JSONRPCMessage {
  return { jsonrpc: '2.0', id: id as RequestId, error: { code: INVALID_ANSWER, message: 'Invalid answer' } };
}

export function isInvalidAnswer(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === INVALID_ANSWER;
}
