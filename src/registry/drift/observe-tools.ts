import type { JsonSchema } from '../../json.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { MAX_TEXT } from '../../texts.ts';
import { announce } from '../record/announce.ts';
import type { Scope } from '../record/capability.ts';
import { lockDrift, reasonOf, storedDemands } from './dependencies.ts';
import { refreshStale } from './stale.ts';

/** A tool as a live server lists it. */
export interface ObservedTool {
  name: string;
  schema: unknown;
}

interface Essence {
  hash: string;
  schema: JsonSchema;
}

/** More than these are no catalogue; what is not stored is not judged. */
const MOST_TOOLS = 20_000;
/** Others are served in between. */
const BREATHE_AFTER_MS = 20;

/**
 * Takes note of what a live server offers now. Capabilities of the scope whose calls no longer fit become stale, those
 * that fit again recover, in one transaction. Writes nothing if the server offers what it offered. Answers how many
 * capabilities changed.
 */
export async function observeTools(
  db: Db,
  scope: Scope,
  server: string,
  tools: readonly ObservedTool[],
): Promise<number> {
  const storable = tools.filter(({ name }) => name.length <= MAX_TEXT.tool).slice(0, MOST_TOOLS);
  const now = new Map<string, Essence>();
  const breathe = breathing();
  for (const { name, schema } of storable) {
    now.set(name, storedDemands(schema));
    await breathe();
  }
  if (differing(await observed(db, scope, server), now).length === 0) return 0;
  return db.transaction(async (tx) => {
    await lockDrift(tx);
    const before = await observed(tx, scope, server);
    const changed = differing(before, now);
    if (changed.length === 0) return 0;
    await note(tx, scope, server, changed, now);
    const fqdns = await judgeUses(tx, scope, server, changed, now);
    const marked = fqdns.length > 0 ? await refreshStale(tx, fqdns) : [];
    // Of former versions, too, which no record is marked by.
    if (fqdns.length > 0 && marked.length === 0) await announce(tx, scope, 'judged');
    await forget(tx, [...before.values()]);
    return marked.reduce((sum, { count }) => sum + count, 0);
  });
}

async function observed(
  db: Queryable,
  { org, project }: Scope,
  server: string,
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ tool: string; hash: string }>(
    'select tool, schema_hash as hash from observed_tools where org = $1 and project = $2 and server = $3',
    [org, project, server],
  );
  return new Map(rows.map(({ tool, hash }) => [tool, hash]));
}

function differing(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, Essence>): string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name)?.hash);
}

const NOTE = `with given as (
    select * from jsonb_to_recordset($4::jsonb) as g(tool text, hash text, schema jsonb)
  ), known as (
    insert into tool_schemas (hash, schema) select distinct on (hash) hash, schema from given where hash is not null
    on conflict do nothing
  ), gone as (
    delete from observed_tools o using given g
    where g.hash is null and o.org = $1 and o.project = $2 and o.server = $3 and o.tool = g.tool
  )
  insert into observed_tools (org, project, server, tool, schema_hash)
  select $1, $2, $3, tool, hash from given where hash is not null
  on conflict (org, project, server, tool) do update set schema_hash = excluded.schema_hash`;

async function note(
  tx: Queryable,
  { org, project }: Scope,
  server: string,
  changed: readonly string[],
  now: ReadonlyMap<string, Essence>,
): Promise<void> {
  const rows = changed.map((tool) => ({ tool, ...now.get(tool) }));
  await tx.query(NOTE, [org, project, server, JSON.stringify(rows)]);
}

interface Group {
  callee: string;
  hash: string;
  before: JsonSchema;
  passed: JsonSchema[];
  broken: string | null;
}

/** Capabilities that call a tool alike are judged once. */
const GROUPS = `select distinct u.callee, u.schema_hash as hash, s.schema as "before", u.passed, u.broken
  from capability_uses u join tool_schemas s on s.hash = u.schema_hash
  where u.callee = any($3) and u.org = $1 and u.project = $2`;

/** That the callees are given twice lets the planner know how few they are. */
const MARK = `update capability_uses u set broken = v.reason
  from jsonb_to_recordset($3::jsonb) as v(callee text, hash text, passed jsonb, reason text)
  where u.callee = any($4) and u.callee = v.callee and u.org = $1 and u.project = $2 and u.schema_hash = v.hash
    and u.passed = v.passed and u.broken is distinct from v.reason
  returning u.fqdn`;

/** Judges all calls of the changed tools; the records of those whose judgement is another than before. */
async function judgeUses(
  tx: Queryable,
  { org, project }: Scope,
  server: string,
  changed: readonly string[],
  now: ReadonlyMap<string, Essence>,
): Promise<string[]> {
  const callees = changed.map((tool) => `${server}:${tool}`);
  const { rows } = await tx.query<Group>(GROUPS, [org, project, callees]);
  const verdicts = [];
  const breathe = breathing();
  for (const { callee, hash, before, passed, broken } of rows) {
    await breathe();
    const after = now.get(callee.slice(server.length + 1));
    const reason = after?.hash === hash ? null : reasonOf(callee, before, after?.schema ?? null, passed);
    if (reason !== broken) verdicts.push({ callee, hash, passed, reason });
  }
  if (verdicts.length === 0) return [];
  const marked = await tx.query<{ fqdn: string }>(MARK, [org, project, JSON.stringify(verdicts), callees]);
  return [...new Set(marked.rows.map(({ fqdn }) => fqdn))];
}

/** Lets the event loop turn once so much time has passed since it last did. */
function breathing(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < BREATHE_AFTER_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}

/** A server that changes its schemas all the time must not fill the store with them. */
async function forget(tx: Queryable, hashes: readonly string[]): Promise<void> {
  await tx.query(
    `delete from tool_schemas s where s.hash = any($1)
       and (select 1 from capability_uses u where u.schema_hash = s.hash limit 1) is null
       and (select 1 from observed_tools o where o.schema_hash = s.hash limit 1) is null`,
    [hashes],
  );
}
