import type { Queryable } from '../store/index.ts';

/** Whose runs are searched. */
export interface PastRunsOwner {
  readonly org: string;
  readonly project: string;
  readonly user: string;
  readonly agent: string;
}

/** A call of a tool or capability that an agent made. */
export interface PastRun {
  id: string;
  called_at: Date;
  /** The server of the tool; `pml-capabilities` for a capability, `pml-std` for PML's own tools, `pml` for code. */
  server: string;
  tool: string;
  success: boolean;
  duration_ms: number;
  error: string | null;
}

export interface RunSearch {
  /** A part of the tool's or server's name, or of the error. */
  text?: string | undefined;
  success?: boolean | undefined;
  since?: Date | undefined;
  /** Only runs that ended before this one, to read on. */
  before?: string | undefined;
  limit: number;
}

const FIELDS = 'id::text, called_at, server_id as server, tool, success, duration_ms, error';
const OWNED = 'org = $1 and project = $2 and user_id = $3 and agent = $4';

/** Finds the runs of one agent and user, the latest first. */
export async function searchPastRuns(
  db: Queryable,
  owner: PastRunsOwner,
  search: RunSearch,
): Promise<PastRun[]> {
  const { text, success, since, before, limit } = search;
  const { rows } = await db.query<PastRun>(
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

/** Reads one run of the agent, with the calls that it made while that run went on; undefined if it has no such run. */
export async function readPastRun(
  db: Queryable,
  owner: PastRunsOwner,
  id: string,
  limit: number,
): Promise<{ run: PastRun; during: PastRun[] } | undefined> {
  const { rows } = await db.query<PastRun>(
    `select ${FIELDS} from tool_usage where ${OWNED} and id = $5::uuid`,
    [...ownerParams(owner), id],
  );
  const [run] = rows;
  if (!run) return undefined;
  // The journal notes when a call ended; those that end within another one's time may be a part of it.
  const during = await db.query<PastRun>(
    `select ${FIELDS} from tool_usage
     where ${OWNED} and id <> $5::uuid and called_at between $6::timestamptz and $7::timestamptz
     order by called_at, id limit $8`,
    [...ownerParams(owner), id, new Date(run.called_at.getTime() - run.duration_ms), run.called_at, limit],
  );
  return { run, during: during.rows };
}

function ownerParams({ org, project, user, agent }: PastRunsOwner): string[] {
  return [org, project, user, agent];
}
