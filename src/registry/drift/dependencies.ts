import { createHash } from 'node:crypto';
import { Budget } from '../../budget.ts';
import {
  type CallWithArguments,
  COMPARISON_STEPS,
  canonicalSchema,
  incompatibilities,
} from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import { hideSecretsInSchema } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import { MAX_JSON } from '../../stored-texts.ts';
import type { Scope } from '../record/capability.ts';
import { INSERT_USES, markUsesBroken } from '../tables/capability-uses.ts';
import { INSERT_SCHEMAS } from '../tables/tool-schemas.ts';
import { INHERITED } from './stale-sql.ts';

/** A tool or capability that code calls by its name. */
export interface Dependency {
  /** `server:tool`, or an FQDN. */
  callee: string;
  /** The tool's schema when the code was written. */
  schema?: JsonSchema | undefined;
  /** A schema of the argument of each call. */
  passed: readonly JsonSchema[];
}

/** A version of a record. */
export interface VersionKey {
  fqdn: string;
  version: number;
}

/** How many different calls of one tool are kept; the last stands for all that follow. */
const MOST_CALLS = 20;

/** Collects what code calls by name. `meaningOf` tells what a name means; undefined for a call that is not judged. */
export function dependenciesOf(
  calls: readonly CallWithArguments[],
  meaningOf: (name: string) => Omit<Dependency, 'passed'> | undefined,
): Dependency[] {
  const dependencies = new Map<string, Dependency & { passed: JsonSchema[] }>();
  const seen = new Set<string>();
  for (const { name, passed } of calls) {
    const meant = meaningOf(name);
    if (!meant) continue;
    const { callee, schema } = meant;
    const dependency = dependencies.get(callee) ?? { callee, schema, passed: [] };
    // A capability has no schema here: it matters only whether it is stale, and each call checks its parameters.
    if (schema && dependency.passed.length < MOST_CALLS) {
      const shape = dependency.passed.length < MOST_CALLS - 1 ? passed : {};
      const text = `${callee}\n${JSON.stringify(passed)}`;
      if (!seen.has(text)) dependency.passed.push(shape);
      seen.add(text);
    }
    dependencies.set(callee, dependency);
  }
  return [...dependencies.values()];
}

/** A tool's schema in the form in which it is stored and compared. */
export interface StoredSchema {
  hash: string;
  schema: JsonSchema;
}

/** Reduces a tool's schema to what is stored. One that is too large becomes `{}`, which every call fits. */
export function storedSchema(schema: unknown): StoredSchema {
  const canonical = hideSecretsInSchema(canonicalSchema(schema));
  const text = JSON.stringify(canonical);
  if (text.length > MAX_JSON.tool_schema) return { hash: hashOf('{}'), schema: {} };
  return { hash: hashOf(text), schema: canonical };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Stores the uses of `given`, and selects those whose tool has changed or is gone, or whose callee is stale. `offset 0` keeps
 * the planner from reading all records for what it takes for a hundred callees.
 */
const saveUses = (given: string) => `with given as (
    select callee, split_part(callee, ':', 1) as server, substr(callee, strpos(callee, ':') + 1) as tool, hash, schema, passed
    from (${given}) given
  ), known as (
    ${INSERT_SCHEMAS}
  ), kept as (
    ${INSERT_USES}
  )
  select g.callee, g.passed, g.schema as "before", s.schema as "after", r.stale is not null as "inherits"
  from given g
    left join lateral (select schema_hash from observed_tools
      where org = $1 and project = $2 and server = g.server and tool = g.tool offset 0) o on true
    left join lateral (select schema from tool_schemas where hash = o.schema_hash offset 0) s on true
    left join lateral (select stale from capability_records where id = g.callee offset 0) r on true
  where r.stale is not null or (g.hash is not null and o.schema_hash is distinct from g.hash and exists (
    select 1 from observed_tools a where a.org = $1 and a.project = $2 and a.server = g.server))`;

const SAVE = saveUses(`select callee, hash, schema, passed
  from jsonb_to_recordset($5::jsonb) as g(callee text, hash text, schema jsonb, passed jsonb)`);
const COPY = saveUses(`select u.callee, u.schema_hash as hash, s.schema, u.passed
  from capability_uses u left join tool_schemas s on s.hash = u.schema_hash where u.fqdn = $5 and u.version = $6`);

/** A stored use that has to be judged, or that calls a stale capability. */
interface UnfitUse {
  callee: string;
  before: JsonSchema | null;
  after: JsonSchema | null;
  passed: JsonSchema[];
  inherits: boolean;
}

/**
 * Stores the dependencies of a version, or copies them from another version, and judges them by the tools as they are now.
 * Returns true if the version is stale from the start.
 */
export async function saveDependencies(
  tx: Queryable,
  { org, project, fqdn, version }: VersionKey & Scope,
  dependencies: readonly Dependency[] | VersionKey,
  budget?: Budget,
): Promise<boolean> {
  const key = [org, project, fqdn, version];
  if ('fqdn' in dependencies) {
    const { rows } = await tx.query<UnfitUse>(COPY, [...key, dependencies.fqdn, dependencies.version]);
    return judge(tx, { fqdn, version }, rows);
  }
  if (dependencies.length === 0) return false;
  const given = dependencies.map(({ callee, schema, passed }) => {
    return { callee, ...(schema && storedSchema(schema)), passed };
  });
  const { rows } = await tx.query<UnfitUse>(SAVE, [...key, JSON.stringify(given)]);
  return judge(tx, { fqdn, version }, rows, budget);
}

async function judge(
  tx: Queryable,
  version: VersionKey,
  uses: readonly UnfitUse[],
  budget?: Budget,
): Promise<boolean> {
  const broken = uses.flatMap(({ callee, before, after, passed }) => {
    const reason = before && staleReason(callee, before, after, passed, budget);
    return reason ? { callee, broken: reason } : [];
  });
  if (broken.length > 0) await markUsesBroken(tx, version, broken);
  return broken.length > 0 || uses.some(({ inherits }) => inherits);
}

const LONGEST_REASON = 400;

/** Explains to people and models why calls no longer fit a tool; null if they fit. */
export function staleReason(
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

/** The reason as callers of a stale capability show it: without its name, which not everybody may see. */
export function inheritedReason(reason: string): string {
  return reason.startsWith(INHERITED) ? reason : INHERITED + reason;
}
