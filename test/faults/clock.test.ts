/** A clock that jumps, back and forth, while the daemon runs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../src/testing/wait.ts';
import { connectPeer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { upReady } from '../support/servers-ready.ts';
import { answerOf, execute } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const preload = pathToFileURL(join(import.meta.dirname, '../fixtures/shifted-clock.ts')).href;
const pml = new Pml({ after }, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } });
const clock = join(pml.dir, 'clock');
pml.env.PML_TEST_CLOCK = clock;
pml.env.NODE_OPTIONS = `--import=${preload}`;

function jump(ms: number): void {
  writeFileSync(clock, String(ms));
}

test('versions, lists, sessions and runs outlive every jump', async () => {
  jump(0);
  // On PGlite, whose clock is the daemon's.
  const url = await upReady(pml, false);
  const { pid } = await statusOf(pml);
  const [http, stdio] = [
    await connectPeer(pml, 'SDK v2 legacy', 'HTTP', url),
    await connectPeer(pml, 'SDK v2 legacy', 'stdio', url),
  ];
  const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
  await execute(http, { code: 'return "one";', name: 'clock:read' });
  jump(-3 * DAY_MS);
  await ask(http, 'cap_update', { name: 'clock:read', code: 'return "two";' });
  // Numbers order the versions, whatever the clock said; a day means the last that was there at its end.
  assert.equal((await execute(stdio, { capability: 'clock:read' })).result, 'two');
  assert.equal((await execute(stdio, { capability: 'clock:read@v1' })).result, 'one');
  assert.equal((await execute(stdio, { capability: `clock:read@${day(0)}` })).result, 'two');
  assert.equal((await execute(stdio, { capability: `clock:read@${day(-2 * DAY_MS)}` })).result, 'two');

  // A run that waits while the clock jumps neither times out nor waits for ever.
  const waiting = answerOf(http, { code: 'return await mcp.good.slow({ ms: 1000 });' });
  jump(400 * DAY_MS);
  assert.equal((await waiting).status, 'success');

  // More than a session may be idle, and more than a capability may be unused.
  assert.ok((await http.toolNames()).includes('pml_execute'), 'the HTTP session is still there');
  assert.equal((await execute(stdio, { capability: 'clock:read' })).result, 'two');
  const isListed = async () => (await stdio.toolNames()).includes('mcp__clock__read');
  await eventually(isListed, 'it is listed again when it was called');
  jump(-400 * DAY_MS);
  assert.equal((await execute(http, { capability: 'clock:read' })).result, 'two');
  const stats = await ask(http, 'cap_stats', { name: 'clock:read' });
  assert.ok(JSON.stringify(stats).includes('clock:read'));
  assert.equal((await statusOf(pml)).pid, pid, 'the daemon never stopped');
  assert.deepEqual(http.errors.concat(stdio.errors), []);
});
