import { z } from 'zod';

/** Text that the store can hold: PostgreSQL takes no NUL. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, { error: 'must not hold a NUL character' });
}

/** Any spelling by which a capability can be meant. What cannot be one means none, and is answered so. */
export const spelling = z.string().min(1).max(1000);

/** A name to be given. What cannot be one is refused by the registry, in the same words everywhere. */
export const newName = z.string();

export const visibility = z.enum(['private', 'project', 'org', 'public']);

export const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
export const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
