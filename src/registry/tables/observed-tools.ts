import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';
import { INSERT_SCHEMAS } from './tool-schemas.ts';

const SAVE = `with given as (
    select * from jsonb_to_recordset($4::jsonb) as g(tool text, hash text, schema jsonb)
  ), known as (
    ${INSERT_SCHEMAS}
  ), gone as (
    delete from observed_tools o using given g
    where g.hash is null and o.org = $1 and o.project = $2 and o.server = $3 and o.tool = g.tool
  )
  insert into observed_tools (org, project, server, tool, schema_hash)
  select $1, $2, $3, tool, hash from given where hash is not null
  on conflict (org, project, server, tool) do update set schema_hash = excluded.schema_hash`;

/** Stores the current schemas of a server's tools, and deletes tools that are given without a hash. */
export async function saveObservedTools(
  tx: Queryable,
  { org, project }: { org: string; project: string },
  server: string,
  tools: readonly { tool: string; hash?: string; schema?: JsonSchema }[],
): Promise<void> {
  await tx.query(SAVE, [org, project, server, JSON.stringify(tools)]);
}
