// Fills a home with capabilities and journal rows, by SQL alone: `node bench/dashboard/seed.ts HOME [CAPABILITIES] [ROWS]`.
// The records are not signed, so they can be looked at but neither run nor changed. The home must not be in use.
import { parseArgs } from 'node:util';
import { type Db, openDb } from '../../src/store/index.ts';

export interface Seed {
  capabilities: number;
  /** Rows of the journal, over the last 30 days. */
  rows: number;
  /** Whose they are. */
  user: string;
  org?: string;
  project?: string;
}

const VERBS = ['read', 'list', 'copy', 'merge', 'count', 'rename', 'archive', 'summarise', 'compare', 'send'];
const NOUNS = [
  'invoice',
  'report',
  'log',
  'ticket',
  'table',
  'image',
  'branch',
  'contact',
  'message',
  'backup',
];
const array = (words: readonly string[]) => `array[${words.map((word) => `'${word}'`).join()}]`;

/** SQL that picks a word by the number `n`. */
const word = (words: readonly string[], n: string) =>
  `(${array(words)})[(1 + (${n}) % ${words.length})::int]`;

const NAME = `${word(NOUNS, 'n')} || ':' || ${word(VERBS, 'n / 10')} || '_' || n`;
/** Every tenth has no name yet. */
const NAMED = 'n % 10 <> 0';
const CODE = `'const rows = await mcp.fs.read_text_file({ path: args.path });' || chr(10) || 'return rows.length + ' || n || ';'`;

function statements({ capabilities, rows, user, org = 'local', project = 'default' }: Seed): string[] {
  const given = `generate_series(1::bigint, ${capabilities}) n`;
  const fqdn = `'${org}.${project}.' || ${word(NOUNS, 'n')} || '.seed' || n || '.' || left(md5(n::text), 4)`;
  const schema = `'{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}'::jsonb`;
  return [
    `insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used)
     select 'seed' || n, md5('seed' || n), ${CODE}, ${schema}, '{fs:read_text_file}' from ${given}`,
    `insert into capability_records (id, display_name, named, listed_name, org, project, namespace, action, hash, pattern_id,
       code_hash, created_by, updated_by, created_at, description, intent, tags, tools_used, usage_count, success_count,
       total_latency_ms, last_used_at, recent, stale)
     select ${fqdn}, case when ${NAMED} then ${NAME} else 'unnamed_' || md5(n::text) end, ${NAMED}, 'mcp__seed__' || n,
       '${org}', '${project}', ${word(NOUNS, 'n')}, 'seed' || n, left(md5(n::text), 4), 'seed' || n, md5('seed' || n),
       '${user}', '${user}', now() - (n % 3000) * interval '1 hour', 'Does what number ' || n || ' does to a ' || ${word(NOUNS, 'n')},
       ${word(VERBS, 'n / 10')} || ' the ' || ${word(NOUNS, 'n')}, array[${word(NOUNS, 'n')}], '{fs:read_text_file}',
       (n * 7919) % 500, ((n * 7919) % 500) * 9 / 10, (n * 7919) % 500 * 12.5, now() - (n % 2000) * interval '1 hour',
       case when n % 97 = 0 then '0000000000' else '1111111111' end,
       case when n % 101 = 0 then 'tool "fs:read_text_file" no longer takes "path"' end
     from ${given}`,
    `insert into capability_names (org, project, name, loose_name, listed_name, fqdn)
     select org, project, display_name, lower(regexp_replace(display_name, '[^a-zA-Z0-9]', '', 'g')), listed_name, id
     from capability_records where id like '${org}.${project}.%.seed%'`,
    `insert into capability_versions (capability_fqdn, version, pattern_id, updated_by, change_summary)
     select id, 1, pattern_id, '${user}', 'created' from capability_records where id like '${org}.${project}.%.seed%'`,
    `insert into capability_uses (fqdn, version, callee, org, project, passed)
     select id, 1, 'fs:read_text_file', org, project, '[]' from capability_records where id like '${org}.${project}.%.seed%'`,
    `insert into tool_usage (id, server_id, tool, fqdn, org, project, user_id, success, duration_ms, called_at, error, cached)
     select gen_random_uuid(), case when n % 5 = 0 then 'pml-capabilities' else 'fs' end,
       case when n % 5 = 0 then 'seed' else (array['read_text_file', 'write_file', 'list_directory'])[1 + n % 3] end,
       case when n % 5 = 0 and ${capabilities} > 0 then (select ${fqdn.replaceAll(/\bn\b/g, 'm')} from (select 1 + n % ${Math.max(1, capabilities)} as m) one) end,
       '${org}', '${project}', '${user}', n % 20 <> 0, 1 + (n * 7919) % 1000 / 10.0,
       now() - ((${rows} - n)::float8 / ${Math.max(1, rows)}) * interval '30 days',
       case when n % 20 = 0 then 'ENOENT: no such file' end, n % 50 = 0
     from generate_series(1::bigint, ${rows}) n`,
    'vacuum analyze',
  ];
}

/** Fills a database. */
export async function seed(db: Db, what: Seed): Promise<void> {
  for (const statement of statements(what)) await db.query(statement, [], { prepare: false });
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [home, capabilities = '1000', rows = '10000'] = positionals;
  if (!home) throw new Error('Which home? node bench/dashboard/seed.ts HOME [CAPABILITIES] [ROWS]');
  const db = await openDb({
    home,
    ...(process.env.PML_DATABASE_URL && { databaseUrl: process.env.PML_DATABASE_URL }),
  });
  const started = performance.now();
  const user = process.env.PML_USER ?? process.env.USER ?? 'root';
  await seed(db, { capabilities: Number(capabilities), rows: Number(rows), user });
  await db.close();
  console.log(
    `${capabilities} capabilities and ${rows} rows in ${Math.round(performance.now() - started)} ms`,
  );
}
