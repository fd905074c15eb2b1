/**
 * An attacker who can write the database changes one column after the other. A call by any name then runs what that name
 * meant before, or is refused. The table says which, and what PML shows falsely after a change of an unsigned column.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Principal } from '../../src/principal.ts';
import {
  fork,
  remember,
  rename,
  resolve,
  restore,
  retire,
  update,
  verifySignature,
} from '../../src/registry/index.ts';
import { ana, ben, failureOf, learned, registryOf } from '../../src/registry/testing.ts';
import type { Db, Queryable } from '../../src/store/index.ts';
import { onBothEngines } from '../../src/store/testing.ts';

/** `refused`: no call runs. Any other text: calls run as before, and this is what PML shows falsely. */
const VERDICTS: Record<string, Record<string, string>> = {
  workflow_pattern: {
    id: 'refused',
    code_hash: 'whether new code is found to be this capability',
    code_snippet: 'refused',
    parameters_schema: 'refused',
    tools_used: 'which tools a former version is shown to use',
    created_at: 'nothing that is shown',
    names_callees: 'whether its hints are known',
    lifted:
      'whether a later run of its maker may make a parameter of a constant; the new version is replayed and signed',
  },
  capability_records: {
    id: 'refused',
    uid: 'refused',
    record_type: 'refused',
    display_name: 'refused',
    named: 'refused',
    listed_name: 'refused',
    org: 'refused',
    project: 'refused',
    namespace: 'refused',
    action: 'refused',
    hash: 'refused',
    pattern_id: 'refused',
    code_hash: 'refused',
    code_url: 'nothing: only servers have one',
    version: 'refused',
    version_tag: 'refused',
    created_by: 'refused',
    created_at: 'when it was made',
    updated_by: 'who changed it last',
    updated_at: 'when it was changed',
    description: 'refused',
    intent: 'refused',
    tags: 'refused',
    visibility: 'refused',
    tools_used: 'refused',
    routing: 'where it is said to run',
    routing_chosen: 'whether it inherits where it runs',
    ttl: 'refused',
    cache_policy: 'refused',
    cache_forced: 'refused',
    cached_count: 'how often it was answered from the cache',
    parent_id: 'where it is said to come from',
    forked_from: 'where it is said to come from',
    verified: 'whether it is said to have passed replay',
    signature: 'nothing: that of its version counts',
    usage_count: 'how often it was called',
    success_count: 'how often it succeeded',
    total_latency_ms: 'how long it takes',
    retired_at: 'refused',
    reserved_until: 'when its names become free, once it is retired',
    stale: 'that it does not fit its tools, or that it does: the tool itself then says no',
    last_used_at: 'whether it is listed',
    recent: 'whether it is listed',
    calls_hash: 'which others are said to be alike',
    head_signature: 'refused',
    tools_hash: 'fixed',
    usage_rank: 'fixed',
  },
  capability_names: {
    org: 'refused',
    project: 'refused',
    name: 'refused',
    loose_name: 'refused',
    listed_name: 'refused',
    fqdn: 'refused',
    created_at: 'the order of its former names',
    signature: 'refused',
  },
  capability_versions: {
    id: 'fixed',
    capability_fqdn: 'refused',
    version: 'refused',
    version_tag: 'which version of the capability a tag means',
    tag: 'fixed',
    pattern_id: 'refused',
    updated_by: 'who made a version',
    updated_at: 'which version of the capability a date means',
    change_summary: 'what is said to have changed',
    signature: 'refused',
    code_url: 'nothing: only servers have one',
  },
  capability_uses: {
    fqdn: 'what it is said to call, and so whether it is stale',
    version: 'what it is said to call, and so whether it is stale',
    callee: 'what it is said to call, and so whether it is stale',
    org: 'whether drift is noticed',
    project: 'whether drift is noticed',
    schema_hash: 'whether drift is noticed',
    passed: 'whether drift is noticed',
    broken: 'whether it is stale',
  },
};

/** Tables from which neither names nor code are read, and what they can make PML show falsely. */
const OTHERS: Record<string, string> = {
  run_recordings: 'whether a capability is said to have passed replay',
  parameter_verdicts: 'which literals of later code become parameters',
  discovery_vectors: 'in which order suggestions are shown',
  call_proposals:
    'what is proposed to be remembered; a program that is kept is learned and signed like any other',
  curation_suggestions:
    'which names are suggested; a name that is given is validated and signed like any other',
  curation_claims: 'which process makes suggestions in the background',
  capability_folds:
    'whether a restored capability takes its names back, and whether a folded FQDN means another; a fold that nobody signed does neither',
  capability_twins: 'which capabilities are proposed to be folded; folding asks the owner',
  capability_outputs: 'what it is said to return; the answers of the capability itself stay whole',
  tool_outputs: 'what the tools of servers are said to return',
  tool_schemas: 'whether drift is noticed',
  observed_tools: 'whether drift is noticed',
  instance_keys:
    'whom replicas on one PostgreSQL believe (docs/decisions/010-trust.md); PGlite does not read it',
  capability_feedback: 'what users are said to think of it',
  capability_rename_history:
    'what it is said to have been called, and the former name to which an undo goes; claims of names are signed',
  agent_tasks: 'which tasks an agent has on its list',
  agent_threads:
    "whose conversation it is said to be, and whether it can go on; an agent's rights come from the config",
  agent_messages:
    'what a model is told was said before; what it then calls is decided by the rights of its agent',
  tool_usage: 'statistics',
  run_details: 'what the dashboard shows of past runs; it runs nothing of it',
  inbox_dismissals: 'which suggestions a user is not asked about again',
  cached_results:
    'nothing: a row that was not signed as it is is not read (src/execute/cache/stored-results.test.ts)',
  upstream_memory: 'what a server is said to offer until it is connected',
  schema_migration: 'whether PML starts',
};

type Row = Record<string, unknown>;
interface Column {
  name: string;
  type: string;
  nullable: boolean;
  /** The column cannot be written. */
  fixed: boolean;
}

async function columnsOf(db: Db, table: string): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
       is_generated = 'ALWAYS' or identity_generation = 'ALWAYS' as fixed
     from information_schema.columns where table_schema = current_schema() and table_name = $1`,
    [table],
  );
  return rows;
}

/** Conditions that find the rows of a capability, and one of them again. */
const TABLES: Record<string, { of: string; keys: readonly string[] }> = {
  workflow_pattern: {
    of: 'id in (select pattern_id from capability_versions where capability_fqdn = $1)',
    keys: ['id'],
  },
  capability_records: { of: 'id = $1', keys: ['id'] },
  capability_names: { of: 'fqdn = $1', keys: ['org', 'project', 'name'] },
  capability_versions: { of: 'capability_fqdn = $1', keys: ['id'] },
  capability_uses: { of: 'fqdn = $1', keys: ['fqdn', 'version', 'callee'] },
};

const ALLOWED: Record<string, string> = {
  record_type: 'mcp-server',
  visibility: 'public',
  routing: 'cloud',
  cache_policy: 'memoize',
};

/** Returns another value that the column accepts. */
function spoilt({ name, type, nullable }: Column, value: unknown, index: number): unknown {
  if (ALLOWED[name] !== undefined) return ALLOWED[name];
  if (name === 'version_tag') return `v9.9.${index}`;
  if (type === 'bool') return !value;
  if (type === 'uuid') return randomUUID();
  if (type === 'timestamptz') return value !== null && nullable ? null : new Date(0);
  if (type === '_text') return ['other:tool'];
  if (type === 'jsonb') return JSON.stringify({ type: 'object', title: 'other' });
  if (/^(int|float)/.test(type)) return Number(value ?? 0) + 7;
  return name === 'hash' ? 'abcdef' : `${String(value ?? '')}x`;
}

const UNDONE = new Error('undone');

/** Acts as the owner of the database, whom neither triggers nor foreign keys stop, and rolls everything back. */
async function meanwhile<T>(db: Db, act: (tx: Queryable) => Promise<T>): Promise<T> {
  let seen: { value: T } | undefined;
  const undone = db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    seen = { value: await act(tx) };
    throw UNDONE;
  });
  await assert.rejects(undone, UNDONE);
  assert.ok(seen);
  return seen.value;
}

onBothEngines('every table of the database has a verdict', async ({ db }) => {
  const { rows } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  const known = [...Object.keys(VERDICTS), ...Object.keys(OTHERS)];
  assert.deepEqual(rows.map(({ name }) => name).sort(), known.sort());
});

onBothEngines('what was tampered with gets no good signature by being changed again', async ({ db }) => {
  const registry = registryOf(db);
  const acts: Record<string, (who: Principal) => Promise<unknown>> = {
    rename: (who) => rename(registry, who, 'ana:pay', { description: 'mine' }),
    update: (who) => update(registry, who, 'ana:pay', { ...learned('dddd'), routing: 'local' }),
    retire: (who) => retire(registry, who, 'ana:pay', 30),
    restore: (who) => restore(registry, who, 'ana:gone'),
    fork: (who) => fork(registry, who, 'ana:pay', `${who.user}:copy`),
    'naming of an unnamed one': (who) => remember(registry, who, learned('eeee', { name: 'ben:named' })),
  };
  await remember(registry, ana, learned('aaaa', { name: 'ana:pay' }));
  await remember(registry, ana, learned('bbbb', { name: 'ana:gone' }));
  await retire(registry, ana, 'ana:gone', 30);
  await remember(registry, ana, learned('eeee'));
  await db.query(`update capability_records set created_by = 'ben'`);
  for (const [name, act] of Object.entries(acts))
    assert.match(await failureOf(act(ben)), /^signature_invalid/, name);
});

const REASONABLE = /^(signature_invalid|capability_not_found|version_not_found|ambiguous_name): /;

onBothEngines('no column of the registry can make a name run other code', async ({ db }) => {
  const registry = registryOf(db);
  // Two capabilities that are interchangeable except in what is verified.
  await remember(registry, ana, learned('aaaa', { code: 'return "one";', name: 'ana:first' }));
  const { fqdn, id } = await rename(registry, ana, 'ana:first', {
    newName: 'ana:pay',
    visibility: 'project',
  });
  const second = { ...learned('bbbb', { code: 'return "two";' }), routing: 'local' as const };
  await update(registry, ana, 'ana:pay', {
    ...second,
    versionTag: 'v2.0.0',
    dependencies: [{ callee: 'fs:read', passed: [] }],
  });
  const evil = await remember(registry, ben, learned('cccc', { code: 'return "evil";', name: 'ben:evil' }));
  await rename(registry, ben, 'ben:evil', { visibility: 'project' });
  await rename(registry, ben, 'ben:evil', { newName: 'ben:evil2' });
  await update(registry, ben, 'ben:evil2', {
    ...second,
    code: 'return "worse";',
    dependencies: [{ callee: 'fs:read', passed: [] }],
  });
  const evilFqdn = evil.capability.fqdn;

  const spellings = ['ana:pay', 'ana:first', 'mcp__ana__pay', 'mcp__ana__first', fqdn, id, 'ANA_PAY'];
  spellings.push('acme.web:ana:pay', fqdn.replace(/\.\w+$/, ''));
  const run = async (tx: Queryable, spelling: string): Promise<string> => {
    try {
      return (await verifySignature({ ...registry, db: tx as Db }, ana, await resolve(tx, ana, spelling)))
        .code;
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      assert.match(`${code}: ${message}`, REASONABLE);
      return 'refused';
    }
  };
  const runAll = (tx: Queryable) => Promise.all(spellings.map((spelling) => run(tx, spelling)));
  assert.deepEqual(new Set(await runAll(db)), new Set(['return "two";']));

  for (const [table, verdicts] of Object.entries(VERDICTS)) {
    const columns = await columnsOf(db, table);
    const names = columns.map(({ name }) => name).sort();
    assert.deepEqual(names, Object.keys(verdicts).sort(), `columns of ${table}`);
    const [mine, theirs] = [await rowsOf(db, table, fqdn), await rowsOf(db, table, evilFqdn)];
    assert.ok(mine.length > 0 && theirs.length > 0, table);
    for (const column of columns.filter(({ fixed }) => !fixed)) {
      const what = `${table}.${column.name}`;
      const seen = new Set<string>();
      for (const others of [[], theirs]) {
        const outcomes = await meanwhile(db, async (tx) => {
          await tamper(tx, table, column, mine, others);
          return runAll(tx);
        });
        for (const outcome of outcomes) seen.add(outcome);
      }
      seen.delete('return "two";');
      const wanted = verdicts[column.name] === 'refused' ? ['refused'] : [];
      assert.deepEqual([...seen], wanted, `${what}: ${verdicts[column.name]}`);
    }
  }
});

async function rowsOf(db: Db, table: string, fqdn: string): Promise<Row[]> {
  const { rows } = await db.query<Row>(`select * from ${table} where ${TABLES[table]?.of}`, [fqdn]);
  return rows;
}

/** Gives the victim's rows other values in a column, and the other's rows the victim's values. */
async function tamper(
  tx: Queryable,
  table: string,
  column: Column,
  mine: readonly Row[],
  theirs: readonly Row[],
): Promise<void> {
  const keys = TABLES[table]?.keys ?? [];
  const where = keys.map((key, index) => `${key} = $${index + 2}`).join(' and ');
  const set = (row: Row, value: unknown) =>
    tx.query(`update ${table} set ${column.name} = $1 where ${where}`, [
      value,
      ...keys.map((key) => row[key]),
    ]);
  for (const [index, row] of mine.entries()) await set(row, spoilt(column, row[column.name], index));
  for (const [index, row] of theirs.entries()) {
    const stolen = mine[index]?.[column.name];
    if (stolen !== undefined && stolen !== null)
      await set(row, column.type === 'jsonb' ? JSON.stringify(stolen) : stolen);
  }
}
