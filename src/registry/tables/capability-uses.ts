import type { Queryable } from '../../store/index.ts';

/** Stores the uses of `given`, for scope $1, $2 and version $3, $4. */
export const INSERT_USES = `insert into capability_uses (fqdn, version, callee, org, project, schema_hash, passed)
    select $3, $4, callee, $1, $2, hash, passed from given`;

const MARK_OF_VERSION = `update capability_uses u set broken = v.broken
  from jsonb_to_recordset($3::jsonb) as v(callee text, broken text)
  where u.fqdn = $1 and u.version = $2 and u.callee = v.callee`;

/** Marks calls of one version as broken. */
export async function markUsesBroken(
  tx: Queryable,
  { fqdn, version }: { fqdn: string; version: number },
  broken: readonly { callee: string; broken: string }[],
): Promise<void> {
  await tx.query(MARK_OF_VERSION, [fqdn, version, JSON.stringify(broken)]);
}

/** The callees are given twice so that the planner knows how few they are. */
const MARK_OF_SCOPE = `update capability_uses u set broken = v.reason
  from jsonb_to_recordset($3::jsonb) as v(callee text, hash text, passed jsonb, reason text)
  where u.callee = any($4) and u.callee = v.callee and u.org = $1 and u.project = $2 and u.schema_hash = v.hash
    and u.passed = v.passed and u.broken is distinct from v.reason
  returning u.fqdn`;

/** Marks all calls of a scope that are alike as broken or fitting. Returns the FQDNs whose calls changed. */
export async function markUsesInScope(
  tx: Queryable,
  { org, project }: { org: string; project: string },
  callees: readonly string[],
  verdicts: readonly { callee: string; hash: string; passed: unknown; reason: string | null }[],
): Promise<string[]> {
  const { rows } = await tx.query<{ fqdn: string }>(MARK_OF_SCOPE, [
    org,
    project,
    JSON.stringify(verdicts),
    callees,
  ]);
  return [...new Set(rows.map(({ fqdn }) => fqdn))];
}
