import { z } from 'zod';
import { Ms, Rate, SeriesPoint, Since, Text } from './common.ts';

export const OverviewQuery = z.object({ since: Since.default('24h') });

/** The savings of memory: calls of capabilities against the first recorded run of the same code. */
export const Saved = z.object({
  /** Calls of capabilities by clients in the span, and those that were answered from the cache. */
  runs: z.int(),
  cached: z.int(),
  /** Calls of tools that a model did not have to make itself. */
  calls: z.int(),
  ms: z.number(),
  tokens: z.int(),
  /** How the savings are computed, for people. */
  how: Text,
});
export type Saved = z.infer<typeof Saved>;

export const ServerHealth = z.object({
  name: Text,
  state: z.enum(['starting', 'ready', 'down', 'stopped']),
  problem: Text.optional(),
  tools: z.int(),
});

export const Overview = z.object({
  since: Since,
  totals: z.object({ calls: z.int(), success_rate: Rate, p50_ms: Ms, p95_ms: Ms, cached: z.int() }),
  /** At most 120 points of equal width, including those without a call. */
  series: z.array(SeriesPoint),
  capabilities: z.object({
    total: z.int(),
    named: z.int(),
    unnamed: z.int(),
    /** Made in the span. */
    learned: z.int(),
    /** Calls of capabilities in the span. */
    reused: z.int(),
    stale: z.int(),
    failing: z.int(),
    unused: z.int(),
  }),
  servers: z.array(ServerHealth),
  saved: Saved,
  /** Present until each of them is done. */
  first_steps: z
    .object({ has_servers: z.boolean(), has_client: z.boolean(), has_run: z.boolean() })
    .optional(),
});
export type Overview = z.infer<typeof Overview>;
