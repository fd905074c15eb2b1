import type { FlowForm } from '../../code/index.ts';
import type { Queryable } from '../../store/index.ts';
import { run, type Sql, sql } from './sql.ts';

/** The flow of a pattern in each of its forms; empty for code that the reader cannot follow. */
export type FlowIdentity = readonly FlowForm[];

/** The version of the reader. Raise it when the reader reads code differently: identities are then computed anew. */
export const READER = 2;

/** Forms with more holes are not stored. */
const MAX_HOLES = 2_000;

/** Inserts the identity of a pattern. */
export function insertIdentity(patternId: string, forms: FlowIdentity): Sql {
  const kept = forms.filter(({ holes }) => holes.length <= MAX_HOLES);
  const rows = kept.length > 0 ? kept : [{ hash: null, holes: [] }];
  const values = JSON.stringify(rows);
  return sql`insert into pattern_identities (pattern_id, form, reader, flow_hash, holes)
    select ${patternId}, f.at - 1, ${READER}, f.one ->> 'hash',
      coalesce((select array_agg(h.hole order by h.at) from jsonb_array_elements_text(f.one -> 'holes')
        with ordinality h (hole, at)), '{}')
    from jsonb_array_elements(${values}::jsonb) with ordinality f (one, at)
    on conflict (pattern_id, form) do update
      set reader = excluded.reader, flow_hash = excluded.flow_hash, holes = excluded.holes
      where pattern_identities.reader < excluded.reader`;
}

export async function saveIdentity(tx: Queryable, patternId: string, forms: FlowIdentity): Promise<void> {
  await run(tx, insertIdentity(patternId, forms));
}

/** Copies the identity of a pattern to another one with the same code. */
export async function copyIdentity(tx: Queryable, from: string, to: string): Promise<void> {
  await tx.query(
    `insert into pattern_identities (pattern_id, form, reader, flow_hash, holes)
     select $2, form, reader, flow_hash, holes from pattern_identities where pattern_id = $1
     on conflict (pattern_id, form) do nothing`,
    [from, to],
  );
}
