import type { KnownVerdicts, ParameterVerdict } from '../../code/index.ts';
import type { Queryable } from '../../store/index.ts';

interface Scope {
  org: string;
  project: string;
}

/** Far more parameters than the tools of a project have. A project with more judges the rest anew in each run. */
const MAX_VERDICTS = 20_000;
/** Bounds what one read returns. */
const MAX_READ = 5000;

/** Reads the verdicts of earlier runs on the parameters of these tools. */
export async function readVerdicts(
  db: Queryable,
  { org, project }: Scope,
  tools: readonly string[],
): Promise<KnownVerdicts> {
  if (tools.length === 0) return new Map();
  const { rows } = await db.query<Pick<ParameterVerdict, 'tool' | 'path' | 'kind'>>(
    `select tool, path, kind from parameter_verdicts where org = $1 and project = $2 and tool = any($3)
     order by tool, path limit ${MAX_READ}`,
    [org, project, tools],
  );
  return new Map(rows.map(({ tool, path, kind }) => [`${tool} ${path}`, kind]));
}

/**
 * Stores verdicts on parameters that have none: the first one stays. Comes last in its transaction: another transaction
 * that judges the same parameter waits for its end.
 */
export async function saveVerdicts(
  tx: Queryable,
  { org, project }: Scope,
  verdicts: readonly ParameterVerdict[] = [],
): Promise<void> {
  const given = verdicts.filter(({ tool, path }) => isStorable(tool) && isStorable(path));
  if (given.length === 0) return;
  await tx.query(
    `insert into parameter_verdicts (org, project, tool, path, kind, rule)
     select $1, $2, tool, path, kind, rule
     from jsonb_to_recordset($3::jsonb) as g(tool text, path text, kind text, rule text)
     where (select count(*) from parameter_verdicts where org = $1 and project = $2) < ${MAX_VERDICTS}
     -- In one order, so that two transactions never wait for each other.
     order by tool, path
     on conflict do nothing`,
    [org, project, JSON.stringify(given)],
  );
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
