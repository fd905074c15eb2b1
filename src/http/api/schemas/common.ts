import { z } from 'zod';

/** A moment, in ISO 8601 and UTC. */
export const Time = z.string().meta({ format: 'date-time' });
/** A share from 0 to 1; null if there was nothing to count. */
export const Rate = z.number().min(0).max(1).nullable();
/** A duration in milliseconds; null if nothing was measured. */
export const Ms = z.number().min(0).nullable();
export const Id = z.string().max(200);
/** Text of servers, agents and models: show it as text, never as markup. */
export const Text = z.string();
/** Any JSON value. */
export const Data = z.unknown();

export const ApiError = z.object({
  error: z.object({ code: z.string(), message: Text, hint: Text.optional() }),
});
export type ApiError = z.infer<typeof ApiError>;

export const Since = z.enum(['24h', '7d', '30d']);
export type Since = z.infer<typeof Since>;
export const Order = z.enum(['asc', 'desc']);

/** The query of every list. */
export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(2000).optional(),
});

/** One page of a list. `next` is the cursor of the page after it. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable(), total: z.int().min(0).optional() });
}

/** Calls within one span of time, for charts. */
export const SeriesPoint = z.object({
  t: Time,
  calls: z.int(),
  failures: z.int(),
  p50_ms: Ms,
  p95_ms: Ms,
});
export type SeriesPoint = z.infer<typeof SeriesPoint>;

export const CapabilityRef = z.object({ id: Id, name: Text });
export type CapabilityRef = z.infer<typeof CapabilityRef>;
