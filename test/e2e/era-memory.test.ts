import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { attempt, eventually, processesOf, within } from '../../src/testing/wait.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { serversReady } from '../support/servers-ready.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const pml = new Pml({ after });
before(() => onUsualEngine(pml));
const FIXTURES = {
  legacy: ['fixture-legacy.ts'],
  modern: ['fixture-modern.ts', 'stdio'],
  shy: ['fixture-legacy.ts', '--dies-of-probe'],
};
const NAMES = Object.keys(FIXTURES) as (keyof typeof FIXTURES)[];
const startsFile = (name: string) => join(pml.dir, `${name}.starts`);
pml.configure({
  mcpServers: Object.fromEntries(
    NAMES.map((name) => {
      const [file, ...args] = FIXTURES[name] as [string, ...string[]];
      const entry = fixtureServer(file, ...args, '--starts', startsFile(name));
      return [name, { ...entry, env: { START: `\${START:-soon}` } }];
    }),
  ),
});

type Life = Record<keyof typeof FIXTURES, { starts: number; era: string | undefined }>;

/**
 * Runs PML once with these servers, calls each, and returns how often each was started and in which era. With another
 * `start` in their environment they are other servers, of which PML knows nothing.
 */
async function oneLife(start: string): Promise<Life> {
  for (const name of NAMES) rmSync(startsFile(name), { force: true });
  const client = await RawClient.open(pml, { env: { START: start } });
  await serversReady(pml);
  for (const name of NAMES) {
    const { result } = await client.send(name, 'tools/call', { name: `${name}:echo`, arguments: {} });
    assert.ok(result.structuredContent, `${name} answers`);
  }
  const { workspaces } = await statusOf(pml);
  const eras = new Map(workspaces.flatMap(({ servers }) => servers).map(({ name, era }) => [name, era]));
  await client.close();
  assert.equal((await pml.run(['down'])).code, 0);
  const seen = NAMES.map((name) => [name, { starts: startsOf(name), era: eras.get(name) }]);
  return Object.fromEntries(seen) as Life;
}

function startsOf(name: string): number {
  const file = startsFile(name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

/** Tries again if the modern server took so long to start that it was taken for an old one, and started once more. */
function unhurried(life: () => Promise<Life>): Promise<Life> {
  return attempt(life, ({ modern }) => modern.starts === 1);
}

let start: string;
let lives = 0;

test('a new server is started once, and one that dies of the era probe once more', async () => {
  const life = () => {
    lives += 1;
    start = `soon ${lives}`;
    return oneLife(start);
  };
  assert.deepEqual(await unhurried(life), {
    legacy: { starts: 1, era: 'legacy' },
    modern: { starts: 1, era: 'modern' },
    shy: { starts: 2, era: 'legacy' },
  });
});

test('each is started once after a restart of PML, because the era is remembered', async () => {
  assert.deepEqual(await unhurried(() => oneLife(start)), {
    legacy: { starts: 1, era: 'legacy' },
    modern: { starts: 1, era: 'modern' },
    shy: { starts: 1, era: 'legacy' },
  });
});

test('PML stops at once while servers are still starting, also those that answer only when they end', async () => {
  const client = await RawClient.open(pml, { env: { START: 'late' } });
  const { servers } = (await statusOf(pml)).workspaces[0] as { servers: { state: string }[] };
  assert.ok(servers.some(({ state }) => state === 'starting'));
  const { code } = await within(pml.run(['down']), 50_000, 'the end of PML');
  assert.equal(code, 0);
  await client.close();
  await eventually(() => processesOf(pml.dir).length === 0, 'no server is left');
});
