import { z } from 'zod';
import {
  CapabilityRef,
  Data,
  Id,
  Ms,
  Order,
  PageQuery,
  pageOf,
  Rate,
  SeriesPoint,
  Since,
  Text,
  Time,
} from './common.ts';

export const Visibility = z.enum(['private', 'project', 'org', 'public']);
export const Routing = z.enum(['local', 'cloud']);
export const CachePolicy = z.enum(['none', 'memoize', 'persistent']);
/** The first that applies, in the order retired, stale, failing, unused, unnamed, listed. */
export const CapabilityState = z.enum(['listed', 'unnamed', 'stale', 'failing', 'unused', 'retired']);

export const CapabilityFilter = z.object({
  namespace: z.string().max(200).optional(),
  tag: z.string().max(64).optional(),
  visibility: Visibility.optional(),
  state: z.enum(['named', 'unnamed', 'stale', 'failing', 'unused', 'retired']).optional(),
});
export const CapabilityCount = z.object({ total: z.int().min(0) });

export const CapabilityQuery = PageQuery.extend(CapabilityFilter.shape).extend({
  /** Ranks by intent as pml_discover does, and ignores `sort`. */
  q: z.string().max(2000).optional(),
  sort: z.enum(['usage', 'name', 'created', 'last_used', 'success']).default('usage'),
  order: Order.optional(),
});
export type CapabilityQuery = z.infer<typeof CapabilityQuery>;

export const CapabilityItem = z.object({
  id: Id,
  name: Text,
  description: Text,
  namespace: Text,
  tags: z.array(Text),
  visibility: Visibility,
  version: z.int(),
  /** The number of parameters. */
  parameters: z.int(),
  usage_count: z.int(),
  success_rate: Rate,
  /** The median of its latest calls; the mean where the journal has none any more. */
  p50_ms: Ms,
  last_used: Time.nullable(),
  created_at: Time,
  created_by: Text,
  state: CapabilityState,
  reason: Text.optional(),
  routing: Routing,
  verified: z.boolean(),
});
export type CapabilityItem = z.infer<typeof CapabilityItem>;
export const CapabilityPage = pageOf(CapabilityItem).extend({
  /** The latest event before the first page was read: whatever followed it may not be in the page. */
  as_of: Text.optional(),
  /** A note on the search, such as that not all is indexed yet. */
  message: Text.optional(),
});

export const Version = z.object({
  version: z.int(),
  tag: Text.nullable(),
  by: Text,
  at: Time,
  summary: Text,
  current: z.boolean(),
});

export const RecordingItem = z.object({
  id: Id,
  at: Time,
  args: Data,
  /** How many calls it made. */
  calls: z.int(),
  /** Like `args`, a note instead of the value if it is large. */
  result: Data,
});

export const Capability = CapabilityItem.omit({ parameters: true }).extend({
  fqdn: Text,
  named: z.boolean(),
  org: Text,
  project: Text,
  intent: Text.optional(),
  version_tag: Text.nullable(),
  signature: Text,
  parameters_schema: Data,
  output_schema: Data.optional(),
  code: Text,
  /** The code as spans with classes. Its text is escaped, so it can be put into the page as it is. */
  code_html: z.string(),
  versions: z.array(Version),
  aliases: z.array(Text),
  updated_at: Time,
  updated_by: Text,
  success_count: z.int(),
  cached_count: z.int(),
  average_latency_ms: Ms,
  provenance: z.object({
    created_by: Text,
    created_at: Time,
    forked_from: Text.nullable(),
    parent: Id.nullable(),
    renames: z.array(z.object({ from: Text, to: Text, by: Text, at: Time })),
  }),
  trust: z.object({ signed: z.boolean(), verified: z.boolean() }),
  drift: z.object({ reason: Text }).optional(),
  /** Empty for those who may not change it: a recording shows the arguments of its run. */
  recordings: z.array(RecordingItem),
  /** The first of all `uses_total`; likewise `used_by` of `used_by_total`. */
  uses: z.array(z.object({ name: Text, kind: z.enum(['tool', 'capability']), id: Id.optional() })),
  uses_total: z.int(),
  used_by: z.array(CapabilityRef),
  used_by_total: z.int(),
  feedback: Data.optional(),
  cache: z.object({ policy: CachePolicy, ttl: z.int().nullable() }),
  can_change: z.boolean(),
  can_undo_rename: z.boolean(),
  /** Changes whenever the record does. */
  revision: Text,
});
export type Capability = z.infer<typeof Capability>;

export const DiffRow = z.object({
  kind: z.enum(['same', 'add', 'del', 'change']),
  left: z.object({ n: z.int(), text: Text }).optional(),
  right: z.object({ n: z.int(), text: Text }).optional(),
});
export const VersionDiff = z.object({
  unified: Text,
  a: z.object({ version: z.int(), code_html: z.string() }),
  b: z.object({ version: z.int(), code_html: z.string() }),
  rows: z.array(DiffRow),
});
export type VersionDiff = z.infer<typeof VersionDiff>;

export const UsageQuery = z.object({ since: Since.default('30d') });
export const CapabilityUsage = z.object({
  series: z.array(SeriesPoint),
  callers: z.array(z.object({ user: Text, agent: Text.optional(), calls: z.int(), last: Time })),
});
export type CapabilityUsage = z.infer<typeof CapabilityUsage>;

const Tag = z.string().min(1).max(64);
const Ttl = z.int().min(1).max(31_536_000);

export const CapabilityPatch = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  description: z.string().max(10_000).optional(),
  tags: z.array(Tag).max(50).optional(),
  visibility: Visibility.optional(),
  routing: Routing.optional(),
  cache_policy: CachePolicy.optional(),
  ttl: Ttl.optional(),
  /** Caches although the tools it calls may change something. */
  force: z.boolean().optional(),
  /** The revision that was looked at. If it is old, the answer is 409 `changed_meanwhile`. */
  revision: z.string().max(200).optional(),
});
export type CapabilityPatch = z.infer<typeof CapabilityPatch>;

export const CapabilityRunInput = z.strictObject({ args: z.record(z.string(), z.unknown()).default({}) });
export const RunAnswer = z.object({
  /** The id of the run, for `/runs/:id`; null if it was refused before anything ran. */
  run: Id.nullable(),
  ok: z.boolean(),
  result: Data,
  truncated: Data.optional(),
  error: z.object({ code: z.string(), message: Text, hint: Text.optional() }).optional(),
  ms: z.number(),
  cached: z.boolean().optional(),
  logs: z.array(z.object({ level: Text, text: Text })).optional(),
  warnings: z.array(Text).optional(),
});
export type RunAnswer = z.infer<typeof RunAnswer>;

export const Verification = z.object({
  verified: z.boolean(),
  runs: z.array(z.object({ run: Id, passed: z.boolean(), differences: z.array(Text) })),
  hint: Text.optional(),
  warnings: z.array(Text).optional(),
});
export type Verification = z.infer<typeof Verification>;

export const RollbackInput = z.strictObject({ version: z.int().min(1) });
export const FeedbackInput = z.strictObject({
  success: z.boolean(),
  note: z.string().max(10_000).optional(),
});
export const NoInput = z.strictObject({});

export const BatchInput = z.strictObject({
  ids: z.array(z.string().max(200)).min(1).max(500),
  change: z.union([
    z.strictObject({ retire: z.literal(true) }),
    z.strictObject({ restore: z.literal(true) }),
    z.strictObject({
      tags_add: z.array(Tag).max(50).optional(),
      tags_remove: z.array(Tag).max(50).optional(),
      visibility: Visibility.optional(),
      namespace: z.string().min(1).max(100).optional(),
    }),
  ]),
});
export type BatchInput = z.infer<typeof BatchInput>;
export const BatchAnswer = z.object({
  done: z.array(z.object({ id: Id })),
  failed: z.array(z.object({ id: Id, error: Text })),
});
export type BatchAnswer = z.infer<typeof BatchAnswer>;
