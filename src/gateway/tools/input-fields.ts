import { z } from 'zod';
import { DEFAULT_TTL, MAX_TTL } from '../../registry/caching/index.ts';

/** Text that the store can hold: PostgreSQL accepts no NUL character. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, { error: 'must not hold a NUL character' });
}

/** Any spelling of a capability's name. The registry answers that one which cannot be a name means no capability. */
export const spelling = z.string().min(1).max(1000);

/** A name to be given. The registry refuses an invalid one, in the same words everywhere. */
export const newName = z.string();

/** How results are cached, as `cap_rename` and `cap_update` take it. */
export const caching = {
  cache_policy: z
    .enum(['none', 'memoize', 'persistent'])
    .optional()
    .describe('Answer equal calls with the result of the first: from memory, or from the store'),
  ttl: z
    .int()
    .optional()
    .describe(`With cache_policy: seconds a result is good, 1 to ${MAX_TTL}. Default: ${DEFAULT_TTL}`),
  force: z
    .boolean()
    .optional()
    .describe(
      'Cache although it calls tools not marked read-only: an answer from the cache does not call them',
    ),
};

export const visibility = z.enum(['private', 'project', 'org', 'public']);
