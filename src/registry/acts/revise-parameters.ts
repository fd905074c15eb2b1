import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { saveDependencies } from '../drift/dependencies.ts';
import { lockDrift } from '../drift/drift-lock.ts';
import { reread } from '../lookup/resolve.ts';
import { announce } from '../record/announce.ts';
import type { Capability } from '../record/capability.ts';
import { copyOutputs } from '../tables/capability-outputs.ts';
import { changedBy, updateRecord } from '../tables/capability-records.ts';
import { insertVersionOfRecord } from '../tables/capability-versions.ts';
import { raw, run, sql } from '../tables/sql.ts';
import { type PatternRow, patternIdOf, savePattern } from '../tables/workflow-pattern.ts';
import { signHead } from '../trust/record-head.ts';
import type { Registry } from '../trust/signature.ts';
import { versionRow } from './new-version.ts';
import { lockForChange } from './permissions.ts';

/**
 * Changes what a capability says of its parameters. The schema is signed with its version, so this adds a version with the same
 * code; the evidence for the code stays. Returns the capability unchanged if `revise` returns the same schema.
 */
export async function reviseParameters(
  { db, keys }: Registry,
  who: Principal,
  name: string,
  revise: (schema: JsonSchema) => JsonSchema,
  summary: string,
): Promise<Capability> {
  return db.transaction(async (tx) => {
    const [, record] = await Promise.all([lockDrift(tx), lockForChange(tx, keys, who, name)]);
    const { code, parametersSchema: former } = await reread(tx, record.fqdn);
    const parametersSchema = revise(former);
    if (parametersSchema === former) return reread(tx, record.fqdn);
    const { codeHash, toolsUsed, fqdn } = record;
    const version = record.version + 1;
    const formerId = patternIdOf({ code, parametersSchema: former });
    const pattern = { code, codeHash, parametersSchema, toolsUsed, ...(await readKnown(tx, formerId)) };
    const row = versionRow(keys, { fqdn, version }, pattern, { author: who.user, versionTag: null, summary });
    const pointed = updateRecord(fqdn, {
      version,
      version_tag: null,
      pattern_id: row.pattern_id,
      signature: row.signature,
      ...changedBy(who.user),
      head_signature: signHead(keys, { ...record, version, versionTag: null }),
    });
    await savePattern(tx, pattern);
    await run(
      tx,
      sql`with r as (${pointed} returning *), version as (${insertVersionOfRecord(row)}) select ${raw('id')} from r`,
    );
    await saveDependencies(tx, { ...record, version }, { fqdn, version: record.version });
    await copyOutputs(tx, fqdn, record.version, version);
    await announce(tx, record, 'updated');
    return reread(tx, fqdn);
  });
}

/** Reads what is known of the code beside its parameters. */
async function readKnown(
  tx: Queryable,
  patternId: string,
): Promise<Pick<PatternRow, 'namesCallees' | 'isLifted'>> {
  const { rows } = await tx.query<{ namesCallees: boolean | null; isLifted: boolean | null }>(
    'select names_callees as "namesCallees", lifted as "isLifted" from workflow_pattern where id = $1',
    [patternId],
  );
  return { namesCallees: rows[0]?.namesCallees ?? undefined, isLifted: rows[0]?.isLifted ?? undefined };
}
