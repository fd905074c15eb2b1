import { createHash } from 'node:crypto';
import { splitVersion } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { atVersion, isTag, tagNumbers } from '../lookup/version.ts';
import { announce } from '../record/announce.ts';
import {
  asking,
  CAPABILITY,
  type Capability,
  FROM_ANY,
  type Routing,
  type Scope,
  VISIBLE,
  type Visibility,
} from '../record/capability.ts';
import { buildFqdn, parseFqdn } from '../record/fqdn.ts';
import { listedName } from '../record/names.ts';
import { claimName } from './claim-name.ts';

/** What is known of an upstream server. */
export interface ServerFacts {
  name: string;
  routing: Routing;
  codeUrl: string | null;
  /** As the server says it. */
  version?: string | undefined;
  visibility?: Visibility;
}

/** The record of a server: `mcp:{name}` or its FQDN, with or without a version. The nearest scope wins. */
export async function findServer(
  db: Queryable,
  who: Principal,
  given: string,
): Promise<Capability | undefined> {
  const { name, version } = splitVersion(given);
  if (given.includes('\0') || (!name.startsWith('mcp:') && parseFqdn(name)?.namespace !== 'mcp'))
    return undefined;
  const { rows } = await db.query<Capability>(
    `select ${CAPABILITY} from ${FROM_ANY}
     where ${VISIBLE} and r.record_type = 'mcp-server' and (r.id = $4 or r.display_name = $4)
     order by r.org = $1 and r.project = $2 desc, r.org = $1 desc, r.created_at limit 1`,
    [...asking(who), name],
  );
  const [found] = rows;
  return found && version !== undefined ? atVersion(db, found, version, name) : found;
}

interface Known {
  fqdn: string;
  routing: Routing;
  codeUrl: string | null;
  tag: string | null;
}

/** Keeps the record of a configured server in step with what is known of it. Writes nothing if nothing changed. */
export async function registerServer(db: Db, scope: Scope, seen: ServerFacts): Promise<void> {
  if (isSame(await known(db, scope, seen.name), seen)) return;
  await db.transaction(async (tx) => {
    // Sessions and replicas that start together see the same server.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${scope.org}.${scope.project}:mcp:${seen.name}`,
    ]);
    const before = await known(tx, scope, seen.name);
    const tag = tagOf(before, seen);
    if (isSame(before, seen)) return;
    if (!before) return create(tx, scope, seen, tag);
    if (before.codeUrl !== seen.codeUrl || before.tag !== tag) await addVersion(tx, before.fqdn, seen, tag);
    if (before.routing !== seen.routing) await reroute(tx, scope, before.fqdn, seen);
  });
}

function isSame(before: Known | undefined, seen: ServerFacts): boolean {
  const { routing, codeUrl } = seen;
  return before?.routing === routing && before.codeUrl === codeUrl && before.tag === tagOf(before, seen);
}

/** A server that is down says no version, and is still the one it was. */
function tagOf(before: Known | undefined, { version }: ServerFacts): string | null {
  if (version === undefined) return before?.tag ?? null;
  return isTag(version) ? version : null;
}

async function known(db: Queryable, scope: Scope, name: string): Promise<Known | undefined> {
  const { rows } = await db.query<Known>(
    `select r.id as "fqdn", r.routing, r.code_url as "codeUrl", r.version_tag as "tag" from capability_records r
     where r.org = $1 and r.project = $2 and r.display_name = $3 and r.record_type = 'mcp-server'`,
    [scope.org, scope.project, `mcp:${name}`],
  );
  return rows[0];
}

async function create(tx: Queryable, scope: Scope, seen: ServerFacts, tag: string | null): Promise<void> {
  const { name, codeUrl, routing, visibility = 'project' } = seen;
  const action = name.replaceAll('.', '_');
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const at = { org: scope.org, project: scope.project, namespace: 'mcp', action, hash };
  const fqdn = buildFqdn(at);
  const display = `mcp:${name}`;
  await tx.query(
    `insert into capability_records (id, record_type, display_name, named, listed_name, org, project, namespace, action,
       hash, code_url, version_tag, created_by, updated_by, visibility, routing)
     values ($1, 'mcp-server', $2, true, $3, $4, $5, 'mcp', $6, $7, $8, $9, 'pml', 'pml', $10, $11)`,
    [
      fqdn,
      display,
      listedName(display, 'mcp'),
      at.org,
      at.project,
      action,
      hash,
      codeUrl,
      tag,
      visibility,
      routing,
    ],
  );
  await claimName(tx, undefined, scope, display, { fqdn, namespace: 'mcp' });
  await tx.query(
    `insert into capability_versions (capability_fqdn, version, version_tag, updated_by, change_summary, code_url)
     values ($1, 1, $2, 'pml', 'created', $3)`,
    [fqdn, tag, codeUrl],
  );
}

/** A server that goes back to a version it had before is at that version again. */
async function addVersion(
  tx: Queryable,
  fqdn: string,
  { codeUrl }: ServerFacts,
  tag: string | null,
): Promise<void> {
  const had = tag
    ? await tx.query<{ version: number }>(
        'select version from capability_versions where capability_fqdn = $1 and tag = $2',
        [fqdn, tagNumbers(tag)],
      )
    : { rows: [] };
  const version = had.rows[0]?.version ?? (await append(tx, fqdn, codeUrl, tag));
  await tx.query(
    `update capability_records set version = $2, version_tag = $3, code_url = $4, updated_at = now() where id = $1`,
    [fqdn, version, tag, codeUrl],
  );
}

async function append(
  tx: Queryable,
  fqdn: string,
  codeUrl: string | null,
  tag: string | null,
): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    `insert into capability_versions (capability_fqdn, version, version_tag, updated_by, code_url)
     select $1, max(version) + 1, $2, 'pml', $3 from capability_versions where capability_fqdn = $1 returning version`,
    [fqdn, tag, codeUrl],
  );
  return rows[0]?.version as number;
}

const INHERIT = `update capability_records c set routing = case when exists (
      select 1 from unnest(c.tools_used) t join capability_records s on s.org = c.org and s.project = c.project
        and s.record_type = 'mcp-server' and s.display_name = 'mcp:' || split_part(t, ':', 1)
      where s.routing = 'local') then 'local' else 'cloud' end
  where c.org = $1 and c.project = $2 and c.record_type = 'capability' and not c.routing_chosen
    and exists (select 1 from unnest(c.tools_used) t where split_part(t, ':', 1) = $3)`;

/** What uses the server inherits its routing anew, unless somebody chose another. */
async function reroute(tx: Queryable, scope: Scope, fqdn: string, seen: ServerFacts): Promise<void> {
  await tx.query('update capability_records set routing = $2, updated_at = now() where id = $1', [
    fqdn,
    seen.routing,
  ]);
  await tx.query(INHERIT, [scope.org, scope.project, seen.name]);
  await announce(tx, scope, 'rerouted');
}
