import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';

/** A version of a capability. */
interface Key {
  fqdn: string;
  version: number;
}

/** A row of `capability_outputs`. */
export interface OutputRow extends Key {
  /** Fits every result so far; null before the first. */
  schema: JsonSchema | null;
  results: number;
  /** The number of the result that last changed the schema. */
  changedAt: number;
  /** The schema that clients are told; null while it is not stable, or cannot be declared. */
  declared: JsonSchema | null;
}

const LOCK = `insert into capability_outputs as o (fqdn, version)
  select k.fqdn, k.version from jsonb_to_recordset($1::jsonb) as k(fqdn text, version integer)
    cross join lateral (select 1 from capability_records where id = k.fqdn offset 0) r
  order by k.fqdn, k.version
  on conflict (fqdn, version) do update set results = o.results
  returning fqdn, version, schema, results, changed_at_result as "changedAt", declared`;

/** Locks the rows of some versions, always in the same order, and creates those that are missing. */
export async function lockOutputs(tx: Queryable, keys: readonly Key[]): Promise<OutputRow[]> {
  const { rows } = await tx.query<OutputRow>(LOCK, [
    JSON.stringify(keys.map(({ fqdn, version }) => ({ fqdn, version }))),
  ]);
  return rows;
}

/** The FQDNs are given twice so that the planner knows how few they are. */
const SAVE = `update capability_outputs o set schema = g.schema, results = g.results, changed_at_result = g."changedAt",
    declared = g.declared,
    stable_since = case when g.declared is null then null when o.declared = g.declared then o.stable_since else now() end
  from jsonb_to_recordset($1::jsonb)
    as g(fqdn text, version integer, schema jsonb, results bigint, "changedAt" bigint, declared jsonb)
  where o.fqdn = any($2) and o.fqdn = g.fqdn and o.version = g.version`;

/** Stores rows that are locked. */
export async function saveOutputs(tx: Queryable, rows: readonly OutputRow[]): Promise<void> {
  await tx.query(SAVE, [JSON.stringify(rows), rows.map(({ fqdn }) => fqdn)]);
}

/** Copies what is known about the results of a version to another version with the same code. */
export async function copyOutputs(tx: Queryable, fqdn: string, from: number, to: number): Promise<void> {
  await tx.query(
    `insert into capability_outputs (fqdn, version, schema, results, changed_at_result, declared, stable_since)
     select fqdn, $3, schema, results, changed_at_result, declared, stable_since from capability_outputs
     where fqdn = $1 and version = $2 on conflict (fqdn, version) do nothing`,
    [fqdn, from, to],
  );
}
