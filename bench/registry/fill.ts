import type { Keys, Registry } from '../../src/registry/index.ts';
import { signHeads } from '../../src/registry/trust/record-head.ts';
import type { Db } from '../../src/store/index.ts';
import { MANY_USERS, type Population, SQL } from './shape.ts';

/** More rows in one statement need more memory than PGlite has. */
const CHUNK = 50_000;

const numbers = ({ org, project, user }: Population) => `(
  select n, n::int as i, ${org} as org, ${project} as project, ${user} as owner, ${SQL.named} as named,
    ${SQL.namespace} as namespace, ${SQL.hash8} as hash8, ${SQL.born} as born, ${SQL.visibility} as visibility
  from generate_series($1::int, $2::int - 1) n) s`;
const ACTION = `case when named then 'act_' || n else 'exec_' || hash8 end`;
const NAME = `case when named then namespace || ':act_' || n else 'unnamed_' || hash8 end`;
const LISTED = `'mcp__' || namespace || '__' || case when named then 'act_' || n else 'unnamed_' || hash8 end`;
const FQDN = `org || '.' || project || '.' || namespace || '.' || ${ACTION} || '.' || left(hash8, 4)`;
const CODE_HASH = `hash8 || md5(n::text) || left(md5('c' || n), 24)`;
const LATEST = `case when ${SQL.hasVersions} then 3 else 1 end`;
const PATTERN = (version: string) => `md5(n::text) || lpad(to_hex(${version}), 32, '0')`;

const patterns = (
  of: Population,
) => `insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used)
  select ${PATTERN('v')}, ${CODE_HASH},
    'const text = await mcp["${of.tool}"]({ path: args.path });' || chr(10) || 'return JSON.parse(text).item' || n || '_' || v || ';',
    jsonb_build_object('type', 'object', 'properties', jsonb_build_object('path', jsonb_build_object('type', 'string', 'default', 'file' || n || '.json'))),
    array['${of.tool}']
  from ${numbers(of)}, generate_series(1, ${LATEST}) v`;

const records = (
  of: Population,
) => `insert into capability_records (id, display_name, named, listed_name, org, project, namespace, action, hash,
    pattern_id, code_hash, version, version_tag, created_by, created_at, updated_by, updated_at, description, intent, tags,
    visibility, tools_used, routing, usage_count, success_count, total_latency_ms, calls_hash)
  select ${FQDN}, ${NAME}, named, ${LISTED}, org, project, namespace, ${ACTION}, left(hash8, 4),
    ${PATTERN(LATEST)}, ${CODE_HASH}, ${LATEST}, case when ${SQL.hasVersions} then 'v2.0.0' end, owner, born, owner, born,
    'Reads item ' || n || ' of a file of ' || namespace, 'read item ' || n,
    array['tag' || n % 50, 'kind' || n % 7], visibility, array['${of.tool}'], 'local', n * 7919::bigint % 1000, n * 7919::bigint % 1000 / 2, n % 100, ${of.callsHash === null ? 'null' : `'${of.callsHash}'`}
  from ${numbers(of)}`;

const names = (
  of: Population,
) => `insert into capability_names (org, project, name, loose_name, listed_name, fqdn)
  select org, project, ${NAME}, lower(regexp_replace(${NAME}, '[^A-Za-z0-9]', '', 'g')), ${LISTED}, ${FQDN} from ${numbers(of)}
  union all
  select org, project, ${SQL.alias}, 'oldname' || n, 'mcp__old__name_' || n, ${FQDN} from ${numbers(of)} where ${SQL.hasAlias}`;

const versions = (
  of: Population,
) => `insert into capability_versions (capability_fqdn, version, version_tag, pattern_id, updated_by, updated_at)
  select ${FQDN}, v, case when ${SQL.hasVersions} then (array['v1.0.0', 'v1.1.0', 'v2.0.0'])[v] end, ${PATTERN('v')}, owner,
    born + (v - 1) * interval '30 days'
  from ${numbers(of)}, generate_series(1, ${LATEST}) v`;

/** Fills an empty registry, or one filled up to `from`, with capabilities up to `to`. */
export async function fill(
  { db, keys }: Registry,
  from: number,
  to: number,
  say: (text: string) => void,
  of = MANY_USERS,
): Promise<void> {
  for (let first = from; first < to; first += CHUNK) {
    const values = [first, Math.min(first + CHUNK, to)];
    for (const sql of [patterns(of), records(of), names(of), versions(of)]) await db.query(sql, values);
    if (to > CHUNK) say(`  ${values[1]} of ${to}`);
  }
  while (await signSome(db, keys));
  // Autovacuum, or on PGlite the store, would do this later by itself.
  await db.query(db.engine === 'pglite' ? 'analyze' : 'vacuum analyze');
}

/** Signs the records, because acts refuse unsigned ones. */
async function signSome(db: Db, keys: Keys): Promise<boolean> {
  const { rows } = await db.query<{ id: string }>(
    `select id from capability_records where head_signature is null and record_type = 'capability' limit 1000`,
  );
  if (rows.length > 0)
    await signHeads(
      db,
      keys,
      rows.map(({ id }) => id),
    );
  return rows.length > 0;
}
