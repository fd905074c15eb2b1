import { canonicalJson } from '../../canonical-json.ts';
import { coversOutput, declaredOutput, uniteOutputs } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { announceAll } from '../record/announce.ts';
import type { Visibility } from '../record/capability.ts';
import { lockOutputs, type OutputRow, saveOutputs } from '../tables/capability-outputs.ts';

/** Results of one version that are not stored yet. */
export interface ObservedOutput {
  fqdn: string;
  version: number;
  /** Its code. Property names that occur in it are nobody's data, so they may be declared. */
  code: string;
  /** Fits all of the results. */
  schema: JsonSchema;
  results: number;
  /** The number of the result, among these, that last changed their schema. */
  changedAt: number;
}

/** The known schema of the results of a version. */
export type KnownOutput = Pick<OutputRow, 'results' | 'changedAt' | 'declared'> & { schema: JsonSchema };

/** Fewer results prove nothing. */
const MIN_STABLE = 3;

/**
 * Tells whether a schema is stable: it has stayed the same for three results, and for as many as it took to become what it is.
 * So the list of tools changes ever more rarely, however results vary.
 */
export function isStable({ results, changedAt }: Pick<OutputRow, 'results' | 'changedAt'>): boolean {
  return results - changedAt >= Math.max(MIN_STABLE, changedAt);
}

/** Reads what is known of the results of a version. */
export async function knownOutput(
  db: Queryable,
  { fqdn, version }: { fqdn: string; version: number },
): Promise<KnownOutput | undefined> {
  const { rows } = await db.query<KnownOutput>(
    `select schema, results, changed_at_result as "changedAt", declared from capability_outputs
     where fqdn = $1 and version = $2 and schema is not null`,
    [fqdn, version],
  );
  return rows[0];
}

/** Widens the schemas of versions by further results, and announces changes of the schemas that clients are told. */
export async function observeOutputs(
  db: Db,
  observed: readonly ObservedOutput[],
): Promise<Map<string, KnownOutput>> {
  return db.transaction(async (tx) => {
    const before = new Map((await lockOutputs(tx, observed)).map((row) => [keyOf(row), row]));
    const changed: OutputRow[] = [];
    const known = observed.flatMap((one) => {
      const row = before.get(keyOf(one));
      if (!row) return [];
      const after = widened(row, one);
      if (!sameSchema(after.declared, row.declared)) changed.push(after);
      return [[keyOf(one), after] as const];
    });
    await saveOutputs(
      tx,
      known.map(([, row]) => row),
    );
    if (changed.length > 0) await announceAll(tx, await listedOf(tx, changed), 'declared');
    return new Map(known);
  });
}

export function keyOf({ fqdn, version }: { fqdn: string; version: number }): string {
  return `${fqdn}@${version}`;
}

function widened(row: OutputRow, observed: ObservedOutput): OutputRow & KnownOutput {
  const { schema: seen, code } = observed;
  const schema = row.schema ? uniteOutputs(row.schema, seen) : seen;
  const results = row.results + observed.results;
  const changedAt = sameSchema(schema, row.schema) ? row.changedAt : row.results + observed.changedAt;
  const declared = isStable({ results, changedAt })
    ? (declaredOutput(schema, code) ?? null)
    : stillFitting(row.declared, schema);
  return { ...row, schema, results, changedAt, declared };
}

/** Keeps the schema that clients were told as long as all results fit it. */
function stillFitting(declared: JsonSchema | null, schema: JsonSchema): JsonSchema | null {
  return declared && coversOutput(declared, schema) ? declared : null;
}

/** Compares schemas apart from the order of their properties, which the database does not keep. */
export function sameSchema(a: JsonSchema | null, b: JsonSchema | null): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

interface ListedRecord {
  org: string;
  project: string;
  visibility: Visibility;
  createdBy: string;
}

/** Reads the records of those versions that can be in a list of tools. */
async function listedOf(tx: Queryable, versions: readonly OutputRow[]): Promise<ListedRecord[]> {
  const { rows } = await tx.query<ListedRecord>(
    `select r.org, r.project, r.visibility, r.created_by as "createdBy"
     from jsonb_to_recordset($1::jsonb) as k(fqdn text, version integer)
       join capability_records r on r.id = k.fqdn and r.version = k.version
     where r.named and r.retired_at is null`,
    [JSON.stringify(versions.map(({ fqdn, version }) => ({ fqdn, version })))],
  );
  return rows;
}
