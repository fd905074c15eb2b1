/** HTTP servers whose answers do not end: they are cut off at the size limit for processes, and other work goes on. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { residentMb } from '../faults/bystander.ts';
import { statusOf } from '../support/daemon.ts';
import { startFloodServer } from '../support/flood-server.ts';
import { Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

/** Twice the limit, and the memory to hold that as text. */
const MAX_GROWTH_MB = 350;

const origin = await startFloodServer({ after });
const pml = new Pml({ after });
let session: RawSession;

before(async () => {
  await onUsualEngine(pml);
  const web = (path: string) => ({ type: 'http', url: `${origin}/${path}` });
  pml.configure({ mcpServers: { web: web('mcp'), again: web('again') } });
  session = await new RawSession(pml).initialize();
  await session.request('tools/list');
});

for (const kind of ['json body', 'compressed body', 'endless event', 'many lines', 'batch']) {
  test(`an answer without end is cut off: ${kind}`, async () => {
    const { pid } = await statusOf(pml);
    const before = residentMb(pid);
    let highest = before;
    const timer = setInterval(() => {
      highest = Math.max(highest, residentMb(pid));
    }, 20);
    const answer = await session.call('web:flood', { kind });
    clearInterval(timer);
    assert.match(textOf(answer), /Server "web" sent a message that is too large, and was disconnected/);
    assert.ok(highest - before < MAX_GROWTH_MB, `the daemon grew by ${(highest - before).toFixed(0)} MB`);
    await eventually(
      async () => textOf(await session.call('web:echo', { text: 'back' })) === 'back',
      'the server is used again',
    );
  });
}

test('only the beginning of an endless error response is read', async () => {
  const answer = await session.call('web:flood', { kind: 'error body' });
  assert.match(textOf(answer), /answered with HTTP 500 \(x{200}…\)/);
  assert.equal(textOf(await session.call('web:echo', { text: 'still here' })), 'still here');
});

test('a server that keeps closing its stream is reconnected to at a limited rate', async () => {
  const opened = async () => Number(textOf(await session.call('again:opened')));
  const started = performance.now();
  const before = await opened();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const more = (await opened()) - before;
  const seconds = (performance.now() - started) / 1000;
  assert.ok(more < 25 * seconds, `opened ${more} times in ${seconds} seconds`);
});
