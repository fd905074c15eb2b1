import { sharedNames, uniteOutputs } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { lockToolOutput, saveToolOutput, type ToolKey, type ToolOutputKey } from '../tables/tool-outputs.ts';
import { sameSchema } from './observe-outputs.ts';

/** Widens the known schema of a tool's results by further ones, and returns it. */
export async function learnToolOutput(db: Db, key: ToolOutputKey, seen: JsonSchema): Promise<JsonSchema> {
  return db.transaction(async (tx) => {
    const before = await lockToolOutput(tx, key);
    const schema = before ? uniteOutputs(before, seen) : seen;
    if (!before || !sameSchema(before, schema)) await saveToolOutput(tx, key, schema);
    return schema;
  });
}

/** How many other users' results are compared. */
const MAX_OTHERS = 5;

const READ = `select g.at, o.* from jsonb_to_recordset($4::jsonb) as g(at integer, server text, tool text, definition text),
  lateral (select t.user_id = $3 as "isOwn", t.schema from tool_outputs t
    where t.org = $1 and t.project = $2 and t.server = g.server and t.tool = g.tool and t.definition = g.definition
    order by t.user_id = $3 desc, t.learned_at desc limit ${MAX_OTHERS + 1}) as o`;

/** Reads the schemas of tools' results, as far as the principal may know them, in the order of the tools. */
export async function readToolOutputs(
  db: Queryable,
  { org, project, user }: Principal,
  tools: readonly ToolKey[],
): Promise<(JsonSchema | undefined)[]> {
  if (tools.length === 0) return [];
  const { rows } = await db.query<{ at: number; isOwn: boolean; schema: JsonSchema }>(READ, [
    ...[org, project, user],
    JSON.stringify(tools.map((tool, at) => ({ at, ...tool }))),
  ]);
  const byTool = Map.groupBy(rows, ({ at }) => at);
  return tools.map((_, at) => shapeOf(byTool.get(at) ?? []));
}

/**
 * A user sees the whole schema of their own results. Names in others' results may be their data, and that they used a
 * tool at all is private: of these, only names that all results of at least two other users share are shown.
 */
function shapeOf(rows: readonly { isOwn: boolean; schema: JsonSchema }[]): JsonSchema | undefined {
  const own = rows.find(({ isOwn }) => isOwn);
  if (own) return own.schema;
  return rows.length < 2 ? undefined : sharedNames(rows.map(({ schema }) => schema).reduce(uniteOutputs));
}
