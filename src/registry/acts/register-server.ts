import { createHash } from 'node:crypto';
import { splitVersion } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { atVersion, isTag, tagNumbers } from '../lookup/version.ts';
import { announce } from '../record/announce.ts';
import type { Capability, Routing, Scope, Visibility } from '../record/capability.ts';
import { listedName } from '../record/capability-name.ts';
import { buildFqdn, parseFqdn } from '../record/fqdn.ts';
import { CAPABILITY, FROM_ANY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { inheritRouting, insertRecord, updateRecord } from '../tables/capability-records.ts';
import { insertVersion } from '../tables/capability-versions.ts';
import { NOW, raw, run, sql } from '../tables/sql.ts';
import { claimName } from './claim-name.ts';

/** The facts that the record of an upstream server holds. */
export interface ServerFacts {
  name: string;
  routing: Routing;
  codeUrl: string | null;
  /** As the server reports it. */
  version?: string | undefined;
  /** If it is missing, a known server keeps its visibility, and a new one gets `project`. */
  visibility?: Visibility | undefined;
  /** The only user who sees it if it is private. */
  user?: string;
}

/** Finds the record of a server by `mcp:{name}` or its FQDN, with or without a version. The nearest scope wins. */
export async function findServer(
  db: Queryable,
  who: Principal,
  spelling: string,
): Promise<Capability | undefined> {
  const { name, version } = splitVersion(spelling);
  if (spelling.includes('\0') || (!name.startsWith('mcp:') && parseFqdn(name)?.namespace !== 'mcp'))
    return undefined;
  const { rows } = await db.query<Capability>(
    `select ${CAPABILITY} from ${FROM_ANY}
     where ${VISIBLE} and r.record_type = 'mcp-server' and (r.id = $5 or r.display_name = $5)
     order by r.org = $1 and r.project = $2 desc, r.org = $1 desc, r.created_at limit 1`,
    [...principalParameters(who), name],
  );
  const [found] = rows;
  return found && version !== undefined ? atVersion(db, found, version, name) : found;
}

interface KnownServer {
  fqdn: string;
  routing: Routing;
  visibility: Visibility;
  codeUrl: string | null;
  tag: string | null;
}

/** Creates or updates the record of a configured server. Writes nothing if nothing changed. */
export async function registerServer(db: Db, scope: Scope, seen: ServerFacts): Promise<void> {
  if (isSame(await known(db, scope, seen.name), seen)) return;
  await db.transaction(async (tx) => {
    // Sessions and replicas that start together register the same server.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${scope.org}.${scope.project}:mcp:${seen.name}`,
    ]);
    const before = await known(tx, scope, seen.name);
    const tag = tagOf(before, seen);
    if (isSame(before, seen)) return;
    if (!before) return create(tx, scope, seen, tag);
    if (before.codeUrl !== seen.codeUrl || before.tag !== tag) await addVersion(tx, before.fqdn, seen, tag);
    if (before.routing !== seen.routing) await reroute(tx, scope, before.fqdn, seen);
    const { visibility = before.visibility, user } = seen;
    if (before.visibility !== visibility) await showServerTo(tx, before.fqdn, visibility, user);
  });
}

function isSame(before: KnownServer | undefined, seen: ServerFacts): boolean {
  const { routing, codeUrl, visibility } = seen;
  if (visibility !== undefined && before?.visibility !== visibility) return false;
  return before?.routing === routing && before.codeUrl === codeUrl && before.tag === tagOf(before, seen);
}

/** A server that is down reports no version, and keeps the one it had. */
function tagOf(before: KnownServer | undefined, { version }: ServerFacts): string | null {
  if (version === undefined) return before?.tag ?? null;
  return isTag(version) ? version : null;
}

async function known(db: Queryable, scope: Scope, name: string): Promise<KnownServer | undefined> {
  const { rows } = await db.query<KnownServer>(
    `select r.id as "fqdn", r.routing, r.visibility, r.code_url as "codeUrl",
       r.version_tag as "tag" from capability_records r
     where r.org = $1 and r.project = $2 and r.display_name = $3 and r.record_type = 'mcp-server'`,
    [scope.org, scope.project, `mcp:${name}`],
  );
  return rows[0];
}

async function create(tx: Queryable, scope: Scope, seen: ServerFacts, tag: string | null): Promise<void> {
  const { name, codeUrl, routing, visibility = 'project', user } = seen;
  const action = name.replaceAll('.', '_');
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const at = { org: scope.org, project: scope.project, namespace: 'mcp', action, hash };
  const fqdn = buildFqdn(at);
  const display_name = `mcp:${name}`;
  const record = insertRecord({
    id: fqdn,
    record_type: 'mcp-server',
    display_name,
    named: true,
    listed_name: listedName(display_name, 'mcp'),
    ...at,
    code_url: codeUrl,
    version_tag: tag,
    updated_by: 'pml',
    routing,
    ...seenBy(visibility, user),
  });
  await run(tx, record);
  await claimName(tx, undefined, scope, display_name, { fqdn, namespace: 'mcp' });
  const first = { ...serverVersion(fqdn, tag, codeUrl), version: 1, change_summary: 'created' };
  await run(tx, insertVersion(first));
}

function serverVersion(fqdn: string, tag: string | null, codeUrl: string | null) {
  return { capability_fqdn: fqdn, version_tag: tag, updated_by: 'pml', code_url: codeUrl };
}

/** Points the record to a new version, or back to the former one with the same tag. */
async function addVersion(
  tx: Queryable,
  fqdn: string,
  { codeUrl }: ServerFacts,
  tag: string | null,
): Promise<void> {
  const former = tag
    ? await tx.query<{ version: number }>(
        'select version from capability_versions where capability_fqdn = $1 and tag = $2',
        [fqdn, tagNumbers(tag)],
      )
    : { rows: [] };
  const version = former.rows[0]?.version ?? (await append(tx, fqdn, codeUrl, tag));
  const update = updateRecord(fqdn, { version, version_tag: tag, code_url: codeUrl, updated_at: NOW });
  await run(tx, update);
}

async function append(
  tx: Queryable,
  fqdn: string,
  codeUrl: string | null,
  tag: string | null,
): Promise<number> {
  const next = { ...serverVersion(fqdn, tag, codeUrl), version: raw('max(version) + 1') };
  const source = sql`from capability_versions where capability_fqdn = ${fqdn}`;
  const { rows } = await run<{ version: number }>(tx, sql`${insertVersion(next, source)} returning version`);
  return rows[0]?.version as number;
}

/** Changes the routing of a server, and of the capabilities that inherit theirs from it. */
async function reroute(
  tx: Queryable,
  scope: Scope,
  fqdn: string,
  { name, routing }: ServerFacts,
): Promise<void> {
  await run(tx, updateRecord(fqdn, { routing, updated_at: NOW }));
  await inheritRouting(tx, scope, name);
  await announce(tx, scope, 'rerouted');
}

async function showServerTo(
  tx: Queryable,
  fqdn: string,
  visibility: Visibility,
  user: string | undefined,
): Promise<void> {
  await run(tx, updateRecord(fqdn, { ...seenBy(visibility, user), updated_at: NOW }));
}

/** PML owns the record of a server, unless one user alone may see it. */
export function seenBy(visibility: Visibility, user = 'pml') {
  return { visibility, created_by: visibility === 'private' ? user : 'pml' };
}
