import { createHash } from 'node:crypto';
import { Budget } from '../../budget.ts';
import { COMPARISON_STEPS, canonicalSchema, incompatibilities } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import { hideSecretsInSchema } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import { MAX_JSON } from '../../texts.ts';
import type { Scope } from '../record/capability.ts';

/** A tool or capability that code calls by its name. */
export interface Use {
  /** `server:tool`, or an FQDN. */
  callee: string;
  /** What the tool took when the code was written. */
  schema?: JsonSchema | undefined;
  /** A schema of the argument of each call. */
  passed: readonly JsonSchema[];
}

/** A version of a record. */
export interface VersionKey {
  fqdn: string;
  version: number;
}

/** Of all that settles what is stale: shared by those who only add records, held alone by those who change what is judged. */
const DRIFT_LOCK = 7_263_549;
const LONGEST_REASON = 400;
export const INHERITED = 'through a capability that it calls: ';

/** Keeps what is judged as it is until what is being added is seen. Taken before any record is locked. */
export const HOLD_DRIFT = `pg_advisory_xact_lock_shared(${DRIFT_LOCK})`;

/** Waits for what is being added, and keeps the judgement to oneself. Taken before any record is locked. */
export async function lockDrift(tx: Queryable): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [DRIFT_LOCK]);
}

/** What a tool demands, as it is stored and compared. One that is too large to be stored is not judged: anything fits it. */
export function storedDemands(schema: unknown): { hash: string; schema: JsonSchema } {
  const essence = hideSecretsInSchema(canonicalSchema(schema));
  const text = JSON.stringify(essence);
  if (text.length > MAX_JSON.tool_schema) return { hash: hashOf('{}'), schema: {} };
  return { hash: hashOf(text), schema: essence };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Writes the uses that `given` holds, and answers those that do not fit what their server offered when it was last seen. */
const keepUses = (given: string) => `with given as (
    select callee, split_part(callee, ':', 1) as server, substr(callee, strpos(callee, ':') + 1) as tool, hash, schema, passed
    from (${given}) given
  ), known as (
    insert into tool_schemas (hash, schema) select distinct on (hash) hash, schema from given where hash is not null
    on conflict do nothing
  ), kept as (
    insert into capability_uses (fqdn, version, callee, org, project, schema_hash, passed)
    select $3, $4, callee, $1, $2, hash, passed from given
  )
  select g.callee, g.passed, g.schema as "before", s.schema as "after", r.stale is not null as "inherits"
  from given g left join observed_tools o on o.org = $1 and o.project = $2 and o.server = g.server and o.tool = g.tool
    left join tool_schemas s on s.hash = o.schema_hash
    left join capability_records r on r.id = g.callee
  where r.stale is not null or (g.hash is not null and o.schema_hash is distinct from g.hash and exists (
    select 1 from observed_tools a where a.org = $1 and a.project = $2 and a.server = g.server))`;

const SAVE = keepUses(`select callee, hash, schema, passed
  from jsonb_to_recordset($5::jsonb) as g(callee text, hash text, schema jsonb, passed jsonb)`);
const COPY = keepUses(`select u.callee, u.schema_hash as hash, s.schema, u.passed
  from capability_uses u left join tool_schemas s on s.hash = u.schema_hash where u.fqdn = $5 and u.version = $6`);
const BREAK = `update capability_uses u set broken = v.broken
  from jsonb_to_recordset($3::jsonb) as v(callee text, broken text)
  where u.fqdn = $1 and u.version = $2 and u.callee = v.callee`;

interface Doubtful {
  callee: string;
  before: JsonSchema | null;
  after: JsonSchema | null;
  passed: JsonSchema[];
  inherits: boolean;
}

/**
 * Keeps what a version calls, or that it calls what another version does, judged by the tools as they are now. True if it
 * is stale from the start.
 */
export async function saveUses(
  tx: Queryable,
  { org, project, fqdn, version }: VersionKey & Scope,
  uses: readonly Use[] | VersionKey,
  budget?: Budget,
): Promise<boolean> {
  const of = [org, project, fqdn, version];
  if ('fqdn' in uses) {
    const { rows } = await tx.query<Doubtful>(COPY, [...of, uses.fqdn, uses.version]);
    return settle(tx, { fqdn, version }, rows);
  }
  if (uses.length === 0) return false;
  const given = uses.map(({ callee, schema, passed }) => {
    return { callee, ...(schema && storedDemands(schema)), passed };
  });
  const { rows } = await tx.query<Doubtful>(SAVE, [...of, JSON.stringify(given)]);
  return settle(tx, { fqdn, version }, rows, budget);
}

async function settle(
  tx: Queryable,
  { fqdn, version }: VersionKey,
  doubtful: readonly Doubtful[],
  budget?: Budget,
): Promise<boolean> {
  const broken = doubtful.flatMap(({ callee, before, after, passed }) => {
    const reason = before && reasonOf(callee, before, after, passed, budget);
    return reason ? { callee, broken: reason } : [];
  });
  if (broken.length > 0) await tx.query(BREAK, [fqdn, version, JSON.stringify(broken)]);
  return broken.length > 0 || doubtful.some(({ inherits }) => inherits);
}

/** Why calls no longer fit a tool, in words for people and models; null if they fit. */
export function reasonOf(
  tool: string,
  before: JsonSchema,
  after: JsonSchema | null,
  passed: readonly JsonSchema[],
  budget = new Budget({ steps: COMPARISON_STEPS }),
): string | null {
  const all = new Set(passed.flatMap((one) => incompatibilities(before, after ?? undefined, one, budget)));
  if (all.size === 0) return null;
  return `tool "${tool}" ${[...all].join(', ')}`.slice(0, LONGEST_REASON);
}

/** The reason as what calls it has it. The name in between may be one that not everybody may see. */
const inherited = (reason: string) =>
  `case when ${reason} like '${INHERITED}%' then ${reason} else '${INHERITED}' || ${reason} end`;

const OWN = `string_agg(u.broken, '; ' order by u.callee) filter (where u.broken is not null)`;

/** Why version `v` is stale: by its own calls, else by those of a capability that it calls. */
export const STALE_AT = `(select left(coalesce(${OWN}, min(${inherited('c.stale')})), 1000)
  from capability_uses u left join capability_records c on c.id = u.callee
  where u.fqdn = v.capability_fqdn and u.version = v.version)`;
