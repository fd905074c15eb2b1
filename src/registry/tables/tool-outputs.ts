import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';

/** A tool of a server, and a hash of its definition. */
export interface ToolKey {
  server: string;
  tool: string;
  definition: string;
}

/** The results of a tool that one user got. */
export interface ToolOutputKey extends ToolKey {
  org: string;
  project: string;
  user: string;
}

/** How many tools are remembered for one user; those learned first are forgotten first. */
const MAX_TOOLS = 5000;

const WHERE = `org = $1 and project = $2 and user_id = $3 and server = $4 and tool = $5`;

/** Reads and locks the known schema of the results; undefined if there is none for this definition of the tool. */
export async function lockToolOutput(tx: Queryable, key: ToolOutputKey): Promise<JsonSchema | undefined> {
  const { org, project, user, server, tool, definition } = key;
  const { rows } = await tx.query<{ definition: string; schema: JsonSchema }>(
    `select definition, schema from tool_outputs where ${WHERE} for update`,
    [org, project, user, server, tool],
  );
  return rows.find((row) => row.definition === definition)?.schema;
}

export async function saveToolOutput(tx: Queryable, key: ToolOutputKey, schema: JsonSchema): Promise<void> {
  const { org, project, user, server, tool, definition } = key;
  await tx.query(
    `insert into tool_outputs (org, project, user_id, server, tool, definition, schema)
     values ($1, $2, $3, $4, $5, $6, $7::jsonb)
     on conflict (org, project, user_id, server, tool)
       do update set definition = excluded.definition, schema = excluded.schema, learned_at = now()`,
    [org, project, user, server, tool, definition, JSON.stringify(schema)],
  );
  await tx.query(
    `delete from tool_outputs where org = $1 and project = $2 and user_id = $3 and learned_at < (
       select learned_at from tool_outputs where org = $1 and project = $2 and user_id = $3
       order by learned_at desc offset ${MAX_TOOLS - 1} limit 1)`,
    [org, project, user],
  );
}
