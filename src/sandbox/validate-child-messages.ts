import { FAILURE_KINDS, type Failure } from './protocol.ts';

/**
 * A child whose guest has got out of its isolate may say anything. What it says must have the form that the rest of
 * PML counts on; what has not is thrown, and the child killed.
 */

const MAX_TEXT = 50_000;

/** The names that a call goes to. */
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

/** A failure with the members it may have, and no other. */
export function checkFailure(said: Failure): Failure {
  if (!FAILURE_KINDS.includes(said.kind)) throw new Error('broken failure');
  const failure: Failure = { kind: said.kind, message: checkText(said.message) };
  for (const key of ['name', 'code', 'stack'] as const) {
    if (said[key] !== undefined) failure[key] = checkText(said[key]);
  }
  for (const key of ['line', 'column'] as const) {
    if (Number.isInteger(said[key])) failure[key] = said[key];
  }
  return failure;
}

function checkText(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_TEXT) throw new Error('broken text');
  return text;
}
