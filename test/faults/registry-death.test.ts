/** The daemon is killed while clients change the registry: every change that was answered is there, and no other by halves. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertConsistent } from '../../src/registry/consistency.testing.ts';
import { openDb } from '../../src/store/index.ts';
import { engines, HAS_TIME } from '../../src/testing/effort.ts';
import { freshDatabase } from '../../src/testing/postgres.ts';
import { waitForExit } from '../../src/testing/wait.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { Pml } from '../support/pml.ts';
import { execute } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const KILLS = HAS_TIME ? 5 : 1;
const WORKERS = 4;
const ANSWERS = 60;

/** The acts that one client was told were done. */
interface Kept {
  fqdn: string;
  names: string[];
  versions: number;
  forks: string[];
}

for (const engine of engines()) {
  const pml = new Pml({ after }, {}, { PML_USER: 'ana' });

  test(`SIGKILL of the daemon amid renames, updates and forks loses none that was answered (${engine})`, async () => {
    if (engine === 'PostgreSQL') pml.env.PML_DATABASE_URL = await freshDatabase();
    const kept: Kept[] = [];
    for (let kill = 0; kill < KILLS; kill++) kept.push(...(await changeUntilKilled(pml, kill)));
    const peer = await connect(pml);
    for (const one of kept) await assertKept(peer, one);
    await peer.close();
    await pml.run(['down']);
    const databaseUrl = pml.env.PML_DATABASE_URL;
    const db = await openDb({ home: pml.home, ...(databaseUrl && { databaseUrl }) });
    try {
      await assertConsistent(db);
    } finally {
      await db.close();
    }
  });
}

function connect(pml: Pml): Promise<Peer> {
  return connectPeer(pml, 'SDK v2 legacy', 'stdio', '');
}

async function changeUntilKilled(pml: Pml, kill: number): Promise<Kept[]> {
  const first = await connect(pml);
  const peers = [first, ...(await Promise.all(Array.from({ length: WORKERS - 1 }, () => connect(pml))))];
  const { pid } = await statusOf(pml);
  let answers = 0;
  const answered = () => {
    answers += 1;
    // Whatever is under way in this moment is lost, or is not.
    if (answers === ANSWERS) process.kill(pid, 'SIGKILL');
  };
  // The daemon is killed when all of them have begun.
  const begun = await Promise.all(peers.map((peer, at) => beginOn(peer, `k${kill}w${at}`)));
  const all = await Promise.all(
    peers.map((peer, at) => changeOn(peer, `k${kill}w${at}`, begun[at] as Kept, answered)),
  );
  assert.ok(answers >= ANSWERS);
  await waitForExit(pid);
  await Promise.all(peers.map((peer) => peer.close().catch(() => {})));
  return all;
}

/** Makes the capability that one client changes. */
async function beginOn(peer: Peer, word: string): Promise<Kept> {
  const { capabilityFqdn: fqdn } = await execute(peer, { name: `${word}:start`, code: `return "${word}"` });
  return { fqdn, names: [`${word}:start`], versions: 1, forks: [] };
}

/** Renames, updates and forks one capability in turn until nobody answers. */
async function changeOn(peer: Peer, word: string, kept: Kept, answered: () => void): Promise<Kept> {
  for (let turn = 0; ; turn++) {
    const name = kept.names.at(-1) as string;
    const newName = `${word}:n${turn}`;
    const acts: [tool: string, input: object, note: () => void][] = [
      ['cap_rename', { name, new_name: newName }, () => kept.names.push(newName)],
      [
        'cap_update',
        { name, code: `return "${word} ${turn}"` },
        () => {
          kept.versions += 1;
        },
      ],
      ['cap_fork', { source: name, name: `${word}:f${turn}` }, () => kept.forks.push(`${word}:f${turn}`)],
    ];
    const [tool, input, note] = acts[turn % acts.length] as (typeof acts)[number];
    const result = await peer.call(tool, input).catch(() => undefined);
    if (!result) return kept;
    assert.ok(!result.isError, JSON.stringify(result));
    note();
    answered();
  }
}

async function assertKept(peer: Peer, { fqdn, names, versions, forks }: Kept): Promise<void> {
  const found = await ask(peer, 'cap_whois', { name: fqdn });
  // The last act of a client was not answered, and may have been done.
  const now = names.at(-1) as string;
  if (found.display_name !== now) assert.equal(found.aliases.at(-1), now);
  for (const name of names) assert.equal((await ask(peer, 'cap_lookup', { name })).fqdn, fqdn, name);
  assert.ok(found.version === versions || found.version === versions + 1, `${found.version} ${versions}`);
  assert.equal((await ask(peer, 'cap_history', { name: fqdn })).versions.length, found.version);
  for (const name of forks) {
    const copy: Loose = await ask(peer, 'cap_whois', { name });
    assert.deepEqual([copy.forked_from, copy.version], [fqdn, 1]);
  }
}
