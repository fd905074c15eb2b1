import { z } from 'zod';

/** Text that the store can hold: PostgreSQL takes no NUL. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, { error: 'must not hold a NUL character' });
}

/** Any spelling by which a capability can be meant. */
export const spelling = text(1000).min(1);

export const visibility = z.enum(['private', 'project', 'org', 'public']);

export const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
export const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
