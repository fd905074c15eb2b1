import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDb } from '../../src/store/index.ts';
import { engines } from '../../src/testing/effort.ts';
import { freshDatabase } from '../../src/testing/postgres.ts';
import { processesOf } from '../../src/testing/wait.ts';
import { connectPeer, KINDS, type Kind, type Peer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, npmServer, Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';

const SESSIONS = 10;
const ROUNDS = 10;
/** The calls of one session in one round, and whether each succeeds. */
const CALLS: [tool: string, args: object, succeeds: boolean][] = [
  ['old:echo', { word: 'hello' }, true],
  ['old:fails', {}, false],
  ['old:explodes', {}, false],
  ['new:echo', { word: 'hello' }, true],
  ['files:list_allowed_directories', {}, true],
];

/** Ten clients of all kinds at once on a home that does not exist, each making all its calls at once. */
async function tenSessions(t: TestContext, databaseUrl?: string): Promise<void> {
  const pml = new Pml(t, {}, databaseUrl ? { PML_DATABASE_URL: databaseUrl } : {});
  const starts = (name: string) => join(pml.dir, `${name}.starts`);
  const files = join(pml.dir, 'files');
  mkdirSync(files);
  pml.configure({
    mcpServers: {
      old: fixtureServer('fixture-legacy.ts', '--starts', starts('old')),
      new: fixtureServer('fixture-modern.ts', 'stdio'),
      files: npmServer('filesystem', files),
    },
  });

  const peers = await Promise.all(
    Array.from({ length: SESSIONS }, (_, i) =>
      connectPeer(pml, KINDS[i % KINDS.length] as Kind, 'stdio', ''),
    ),
  );
  await serversReady(pml);
  const answered = await Promise.all(peers.map((peer) => callAll(peer)));
  assert.deepEqual(answered, Array(SESSIONS).fill(ROUNDS * CALLS.length));

  const status = await statusOf(pml);
  assert.equal(status.sessions, SESSIONS);
  assert.equal(status.engine, databaseUrl ? 'postgres' : 'pglite');
  assert.equal(status.workspaces.length, 1);
  const log = readFileSync(join(pml.home, 'log', 'pml.log'), 'utf8');
  assert.equal(log.match(/ started on /g)?.length, 1, 'one daemon');
  assert.equal(readFileSync(starts('old'), 'utf8').trim().split('\n').length, 1, 'one start of old');
  // A modern server that answers the first question too slowly is started once more.
  for (const program of ['server-filesystem', 'fixture-modern'])
    assert.equal(processesWith(pml, program).length, process.platform === 'linux' ? 1 : 0, program);

  assert.equal((await pml.run(['down'])).code, 0);
  await assertJournalled(pml, databaseUrl);
}

/** Makes every call and returns how many were answered, with a result or an error. */
async function callAll(peer: Peer): Promise<number> {
  const rounds = Array.from({ length: ROUNDS }, () =>
    CALLS.map(async ([tool, args, succeeds]) => {
      const outcome = await peer.call(tool, args).catch((error: Error) => error);
      assert.equal(!(outcome instanceof Error) && !outcome.isError, succeeds, `${tool}: ${outcome}`);
    }),
  );
  return (await Promise.all(rounds.flat())).length;
}

/** Lists the processes of this PML whose command line holds a word. */
function processesWith(pml: Pml, word: string): number[] {
  return processesOf(pml.dir).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word));
}

async function assertJournalled(pml: Pml, databaseUrl?: string): Promise<void> {
  const db = await openDb({ home: pml.home, ...(databaseUrl && { databaseUrl }) });
  try {
    const { rows } = await db.query<{ name: string; success: boolean; calls: number; ids: number }>(
      `select server_id || ':' || tool as name, success, count(*)::int as calls, count(distinct id)::int as ids
       from tool_usage where org = 'local' and project = 'default' and user_id is not null and duration_ms >= 0
       group by 1, 2 order by 1`,
    );
    const calls = SESSIONS * ROUNDS;
    assert.deepEqual(
      rows,
      CALLS.map(([name, , success]) => ({ name, success, calls, ids: calls })).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      ),
    );
  } finally {
    await db.close();
  }
}

for (const engine of engines())
  test(`ten sessions at once on an empty home: one daemon, one of each server, every call journalled (${engine})`, async (t) =>
    tenSessions(t, engine === 'PostgreSQL' ? await freshDatabase() : undefined));
