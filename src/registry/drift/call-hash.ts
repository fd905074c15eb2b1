import { createHash } from 'node:crypto';

/**
 * Hashes the callees of code in order: the same for code that differs only in the text around its calls. Repeated calls
 * in a row count as one, since a loop writes them once, unless all calls have one callee. Undefined for a single call,
 * which too much code has in common.
 */
export function hashOfCalls(callees: readonly string[]): string | undefined {
  if (callees.length < 2) return undefined;
  const distinct = callees.filter((callee, at) => callee !== callees[at - 1]);
  const told = distinct.length > 1 ? distinct : callees;
  return createHash('sha256').update(told.join('\n')).digest('hex');
}
