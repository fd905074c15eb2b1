import { z } from 'zod';
import { CapabilityRef, Id, PageQuery, Text } from './common.ts';

export const InboxKind = z.enum(['unnamed', 'twins', 'stale', 'failing', 'unused']);
export type InboxKind = z.infer<typeof InboxKind>;
export const InboxQuery = PageQuery.extend({ kind: InboxKind.optional() });

export const InboxCounts = z.object({
  unnamed: z.int(),
  twins: z.int(),
  stale: z.int(),
  failing: z.int(),
  unused: z.int(),
});
export type InboxCounts = z.infer<typeof InboxCounts>;

export const InboxItem = z.object({
  /** The kind and the capability: `unnamed:<id>`, `twins:<keep>:<fold>`. */
  id: Id,
  kind: InboxKind,
  capability: z.object({ id: Id, name: Text, description: Text }),
  /** The twin that would be folded into the capability. */
  other: CapabilityRef.optional(),
  suggestion: z
    .object({
      name: Text,
      description: Text,
      tags: z.array(Text),
      confidence: z.number().min(0).max(1),
      by: z.enum(['rules', 'model']),
    })
    .optional(),
  why: Text,
  /** The effect of accepting: give the name, fold the twin, take the capability out of use. */
  accept: z.enum(['name', 'fold', 'retire']),
});
export type InboxItem = z.infer<typeof InboxItem>;

export const InboxPage = z.object({
  items: z.array(InboxItem),
  next: z.string().nullable(),
  counts: InboxCounts,
  /** The model that can be asked for names, if there is one. */
  model: Text.optional(),
});
export type InboxPage = z.infer<typeof InboxPage>;

export const AcceptInput = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(10_000).optional(),
  tags: z.array(z.string().min(1).max(64)).max(50).optional(),
});
export const Suggestions = z.object({ suggestions: z.int(), notes: z.array(Text) });
/** `undo` is the token for `/undo`. It is valid until PML stops. */
export const Decided = z.object({ undo: Text });
export const UndoInput = z.strictObject({ undo: z.string().max(200) });
export const Undone = z.object({ undone: z.literal(true) });
