import type { Queryable } from '../../store/index.ts';
import { run, type Sql, sql } from './sql.ts';

/** What a pattern does: the hash of its flow, and the argument at each hole of it. */
export interface FlowIdentity {
  readonly hash: string;
  readonly holes: readonly string[];
}

/** The edition of the reader whose identities are compared. Raise it when the reader reads programs otherwise than before. */
export const READER = 1;

/** More holes tell no more. */
const MAX_HOLES = 2_000;

/** Inserts the identity of a pattern; null for code that the reader does not follow. */
export function insertIdentity(patternId: string, flow: FlowIdentity | null): Sql {
  const kept = flow && flow.holes.length <= MAX_HOLES ? flow : null;
  return sql`insert into pattern_identities (pattern_id, reader, flow_hash, holes)
    values (${patternId}, ${READER}, ${kept?.hash ?? null}, ${kept?.holes ?? []})
    on conflict (pattern_id) do update set reader = excluded.reader, flow_hash = excluded.flow_hash, holes = excluded.holes
      where pattern_identities.reader < excluded.reader`;
}

export async function saveIdentity(
  tx: Queryable,
  patternId: string,
  flow: FlowIdentity | null,
): Promise<void> {
  await run(tx, insertIdentity(patternId, flow));
}
