import { z } from 'zod';
import { UNLISTED } from './listed-schema.ts';

/** Text that the store can hold: PostgreSQL accepts no NUL character. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, { error: 'must not hold a NUL character' });
}

/** Any spelling of a capability's name. The registry answers an impossible name with "Capability not found". */
export const spelling = z.string().min(1).max(1000);

/** A name to be given. The registry refuses an invalid one, in the same words everywhere. */
export const newName = z.string();

/** How results are cached, as `cap_rename` and `cap_update` take it. */
export const caching = {
  cache_policy: z.enum(['none', 'memoize', 'persistent']).optional(),
  ttl: z.int().optional().describe('seconds'),
  force: z.boolean().optional().meta(UNLISTED),
};

export const visibility = z.enum(['private', 'project', 'org', 'public']);
