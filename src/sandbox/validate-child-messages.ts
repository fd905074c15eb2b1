import { FAILURE_KINDS, type Failure, MAX_LOST_LENGTH } from './protocol.ts';

/**
 * Validates what a child sends: a guest that has escaped its isolate may make it send anything. A malformed message
 * throws, and the child is killed.
 */

const MAX_TEXT_LENGTH = 50_000;

/** The names that a call goes to: one or two. */
export function checkPath(path: unknown): string[] {
  if (
    Array.isArray(path) &&
    path.length > 0 &&
    path.length < 3 &&
    path.every((name) => typeof name === 'string')
  )
    return path;
  throw new Error('broken path');
}

/** Copies the known members of a failure, and no other. */
export function checkFailure(received: Failure): Failure {
  if (!FAILURE_KINDS.includes(received.kind)) throw new Error('broken failure');
  const failure: Failure = { kind: received.kind, message: checkText(received.message) };
  for (const key of ['name', 'code', 'stack'] as const) {
    if (received[key] !== undefined) failure[key] = checkText(received[key]);
  }
  for (const key of ['line', 'column'] as const) {
    if (Number.isInteger(received[key])) failure[key] = received[key];
  }
  return failure;
}

/** The note of what a result lost. */
export function checkLost(lost: unknown): string {
  return checkText(lost).slice(0, MAX_LOST_LENGTH);
}

function checkText(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_TEXT_LENGTH) throw new Error('broken text');
  return text;
}
