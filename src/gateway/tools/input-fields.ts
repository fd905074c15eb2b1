import { z } from 'zod';

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

export const visibility = z.enum(['private', 'project', 'org', 'public']);
