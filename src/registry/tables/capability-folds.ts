import { canonicalJson } from '../../canonical-json.ts';
import type { Queryable } from '../../store/index.ts';

/** A row of `capability_folds`: a capability that was folded into another, and the names that it gave away. */
export interface FoldRow {
  fqdn: string;
  kept: string;
  names: readonly string[];
  signature: string;
}

/** Notes that a capability was folded. */
export async function insertFold(
  tx: Queryable,
  { fqdn, kept, names, signature }: FoldRow,
  user: string,
): Promise<void> {
  await tx.query(
    `insert into capability_folds (fqdn, kept, names, folded_by, signature) values ($1, $2, $3, $4, $5)
     on conflict (fqdn) do update set kept = $2, names = $3, folded_by = $4, folded_at = now(), signature = $5`,
    [fqdn, kept, names, user, signature],
  );
}

export async function readFold(db: Queryable, fqdn: string): Promise<FoldRow | undefined> {
  const { rows } = await db.query<FoldRow>(
    'select fqdn, kept, names, signature from capability_folds where fqdn = $1',
    [fqdn],
  );
  return rows[0];
}

/** The signed text of a fold: names move, and FQDNs lead elsewhere, by its word alone. */
export function foldText({ fqdn, kept, names }: Omit<FoldRow, 'signature'>): string {
  return `fold ${canonicalJson({ fqdn, kept, names })}`;
}

/** Removes and returns the fold of a capability; undefined if it was not folded. */
export async function takeFold(tx: Queryable, fqdn: string): Promise<FoldRow | undefined> {
  const { rows } = await tx.query<FoldRow>(
    'delete from capability_folds where fqdn = $1 returning fqdn, kept, names, signature',
    [fqdn],
  );
  return rows[0];
}
