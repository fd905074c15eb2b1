import type { Queryable } from '../store/index.ts';

/** Whose calls are searched. */
export interface PastCallsOwner {
  readonly org: string;
  readonly project: string;
  readonly user: string;
  readonly agent: string;
}

/** A call of a tool or capability that an agent made. */
export interface PastCall {
  id: string;
  called_at: Date;
  /** The server of the tool; `pml-capabilities` for a capability, `pml-std` for PML's own tools, `pml` for code. */
  server: string;
  tool: string;
  success: boolean;
  duration_ms: number;
  error: string | null;
}

export interface CallSearch {
  /** A part of the tool's or server's name, or of the error. */
  text?: string | undefined;
  success?: boolean | undefined;
  since?: Date | undefined;
  /** Only calls that ended before this one, to read on. */
  before?: string | undefined;
  limit: number;
}

const FIELDS = 'id::text, called_at, server_id as server, tool, success, duration_ms, error';
const OWNED = 'org = $1 and project = $2 and user_id = $3 and agent = $4';

/** Finds the calls of one agent and user, the latest first. */
export async function searchPastCalls(
  db: Queryable,
  owner: PastCallsOwner,
  search: CallSearch,
): Promise<PastCall[]> {
  const { text, success, since, before, limit } = search;
  const { rows } = await db.query<PastCall>(
    `select ${FIELDS} from tool_usage
     where ${OWNED}
       and ($5::text is null or strpos(lower(server_id || ':' || tool || ' ' || coalesce(error, '')), lower($5)) > 0)
       and ($6::boolean is null or success = $6)
       and ($7::timestamptz is null or called_at >= $7)
       and ($8::uuid is null or (called_at, id) < (
         select called_at, id from tool_usage where id = $8 and ${OWNED}))
     order by called_at desc, id desc limit $9`,
    [...ownerParams(owner), text ?? null, success ?? null, since ?? null, before ?? null, limit],
  );
  return rows;
}

/** Reads one call of the agent, with those that it made while that one went on; undefined if it has no such call. */
export async function readPastCall(
  db: Queryable,
  owner: PastCallsOwner,
  id: string,
  limit: number,
): Promise<{ call: PastCall; during: PastCall[] } | undefined> {
  const { rows } = await db.query<PastCall>(
    `select ${FIELDS} from tool_usage where ${OWNED} and id = $5::uuid`,
    [...ownerParams(owner), id],
  );
  const [call] = rows;
  if (!call) return undefined;
  // The journal notes when a call ended; those that end within another one's time may be a part of it.
  const during = await db.query<PastCall>(
    `select ${FIELDS} from tool_usage
     where ${OWNED} and id <> $5::uuid and called_at between $6::timestamptz and $7::timestamptz
     order by called_at, id limit $8`,
    [...ownerParams(owner), id, new Date(call.called_at.getTime() - call.duration_ms), call.called_at, limit],
  );
  return { call, during: during.rows };
}

function ownerParams({ org, project, user, agent }: PastCallsOwner): string[] {
  return [org, project, user, agent];
}
