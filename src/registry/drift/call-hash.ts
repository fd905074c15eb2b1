import { createHash } from 'node:crypto';

/**
 * Hashes the callees of code in order: the same for code that differs only in the text around its calls. Undefined for a
 * single call, which too much code has in common.
 */
export function hashOfCalls(callees: readonly string[]): string | undefined {
  if (callees.length < 2) return undefined;
  return createHash('sha256').update(callees.join('\n')).digest('hex');
}
