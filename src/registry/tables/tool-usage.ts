import type { Queryable } from '../../store/index.ts';

/** A row of `tool_usage`: one call of a tool or a capability. */
export interface CallRow {
  id: string;
  server_id: string;
  tool: string;
  /** Set for a call of a capability. */
  fqdn: string | null;
  org: string;
  project: string;
  user_id: string;
  agent: string | null;
  success: boolean;
  duration_ms: number;
  called_at: string;
  error: string | null;
  /** It failed because of who called it, or how: that is no evidence against the callee. Not stored, only counted. */
  by_caller: boolean;
  /** Answered from the cache: nothing ran. Absent in rows of earlier versions. */
  cached?: boolean;
  /** Its arguments were wrong: nothing ran. Absent if they were not. */
  refused?: true | undefined;
  /** The run that it belongs to, and how deep in it; absent for a call that a client made itself. */
  run?: string | undefined;
  depth?: number | undefined;
}

/** The server under which calls of PML's own tools are journalled. */
export const OWN_SERVER = 'pml-std';

/** Stores the calls of `given`, of which none may be stored already. */
export const INSERT_NEW_CALLS = `insert into tool_usage
      (id, server_id, tool, fqdn, org, project, user_id, agent, success, duration_ms, called_at, error, cached, run, depth, refused)
    select id, server_id, tool, fqdn, org, project, user_id, agent, success, duration_ms, called_at, error,
      coalesce(cached, false), run, depth, coalesce(refused, false) from given`;

/** Stores the calls of `given`. The id makes storing one twice harmless: only new ones are stored, and may be returned. */
export const INSERT_CALLS = `${INSERT_NEW_CALLS}
    on conflict (id) do nothing`;

/** Deletes calls of a scope from before a time. Returns how many there were. */
export async function deleteCalls(
  db: Queryable,
  { org, project }: { org: string; project: string },
  before: Date,
  limit: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from tool_usage where id in (
       select id from tool_usage where org = $1 and project = $2 and called_at < $3 order by called_at limit $4)`,
    [org, project, before.toISOString(), limit],
  );
  return rowCount;
}
