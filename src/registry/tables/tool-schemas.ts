import type { Queryable } from '../../store/index.ts';

/** Stores the schemas of `given`, each once. */
export const INSERT_SCHEMAS = `insert into tool_schemas (hash, schema)
    select distinct on (hash) hash, schema from given where hash is not null on conflict do nothing`;

/** Deletes those of the schemas that nothing refers to: a server that keeps changing its schemas must not fill the store. */
export async function deleteUnusedSchemas(tx: Queryable, hashes: readonly string[]): Promise<void> {
  await tx.query(
    `delete from tool_schemas s where s.hash = any($1)
       and (select 1 from capability_uses u where u.schema_hash = s.hash limit 1) is null
       and (select 1 from observed_tools o where o.schema_hash = s.hash limit 1) is null`,
    [hashes],
  );
}
