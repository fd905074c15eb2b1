import type { Queryable } from '../../store/index.ts';

/** Far more than the tools of one home; beyond it, vectors are kept in memory alone. */
const MAX_VECTORS = 200_000;

/** Reads the vectors that are stored of these texts, by hash. */
export async function readVectors(
  db: Queryable,
  model: string,
  hashes: readonly string[],
): Promise<Map<string, Int8Array>> {
  const { rows } = await db.query<{ hash: string; vector: Uint8Array }>(
    'select hash, vector from discovery_vectors where model = $1 and hash = any($2)',
    [model, hashes],
  );
  return new Map(rows.map(({ hash, vector }) => [hash, Int8Array.from(vector)]));
}

export async function storeVectors(
  db: Queryable,
  model: string,
  vectors: ReadonlyMap<string, Int8Array>,
): Promise<void> {
  const given = Array.from(vectors, ([hash, vector]) => ({
    hash,
    vector: Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('base64'),
  }));
  await db.query(
    `insert into discovery_vectors (model, hash, vector)
     select $1, hash, decode(vector, 'base64') from jsonb_to_recordset($2::jsonb) as g(hash text, vector text)
     where (select count(*) from discovery_vectors) < ${MAX_VECTORS}
     -- In one order, so that two processes never wait for each other.
     order by hash
     -- A vector that is there is of no use, or it would not have been made again.
     on conflict (model, hash) do update set vector = excluded.vector, made_at = now()`,
    [model, JSON.stringify(given)],
  );
}
