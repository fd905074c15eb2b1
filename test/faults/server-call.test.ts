import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { eventually, isAlive, waitForExit, within } from '../../src/testing/wait.ts';
import { serverOf, statusOf } from '../support/daemon.ts';
import { usageOf } from '../support/journal-rows.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf, type Wire } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';
import { assertUnharmed, PROMPTLY_MS, residentMb } from './bystander.ts';

const server = fixtureServer('hostile-stdio.ts');
const pml = new Pml(
  { after },
  {
    mcpServers: {
      good: server,
      bad: server,
      // Longer than a busy machine may keep a process waiting, shorter than others have.
      quick: { ...server, pml: { timeoutMs: 10_000 } },
      huge: server,
      parent: server,
      own: { ...server, pml: { perSession: true } },
    },
  },
);
let session: RawSession;
let other: Client;
/** How many calls were answered, so that the journal can be checked against it. */
let answered = 0;

before(async () => {
  await onUsualEngine(pml);
  session = await new RawSession(pml).initialize();
  other = await pml.stdio();
  await session.request('tools/list');
});

async function call(name: string, args: object = {}): Promise<Wire> {
  const answer = await session.call(name, args);
  answered += 1;
  return answer;
}

async function bystander(): Promise<void> {
  await assertUnharmed(other);
  answered += 1;
}

function failed(answer: Wire): boolean {
  return answer.error !== undefined || answer.result?.isError === true;
}

test('a call that hangs is given up after timeoutMs, with the name of the server and what to do', async () => {
  const started = performance.now();
  const hanging = call('quick:hang');
  await bystander();
  const answer = await hanging;
  assert.ok(performance.now() - started < PROMPTLY_MS);
  assert.ok(failed(answer));
  assert.match(textOf(answer), /Server "quick" did not answer "hang" in time/);
  assert.match(textOf(answer), /Raise .*timeoutMs.* on server "quick"/);
  assert.equal(textOf(await call('quick:await_cancelled')), 'so it is', 'the server hears that nobody waits');
});

test('an answer whose content is no content harms nobody, whether a client asked or code', async () => {
  for (const content of [[null], [5], 'text', null, [{ type: 'text', text: null }]]) {
    await call('bad:odd_content', { content });
    await session.call('pml_execute', {
      intent: 'look at odd content',
      code: 'return await mcp.bad.odd_content(args)',
      args: { content },
    });
    // The call of the tool, the capability and pml_execute.
    answered += 3;
    await bystander();
  }
});

test('progress keeps a long call alive, whether or not the client asked for it', async () => {
  const answer = await call('quick:progress', { times: 4, everyMs: 3000 });
  assert.equal(textOf(answer), 'at last');
  assert.ok(!failed(answer));
});

test('a call in flight when its server dies fails at once and says which; the next call works', async () => {
  const former = Number(textOf(await call('bad:pid')));
  const waiting = session.begin('tools/call', { name: 'bad:hang' });
  await other.callTool({ name: 'bad:await_hanging' });
  const started = performance.now();
  const dying = call('bad:die', { code: 7 });
  for (const answer of [await dying, await session.answerTo(waiting)]) {
    assert.ok(failed(answer));
    assert.match(textOf(answer), /Server "bad" exited with code 7 while answering "(die|hang)"/);
    assert.match(textOf(answer), /not known whether the call took effect/);
  }
  // The one that hung, and the one that waited for it to hang.
  answered += 2;
  assert.ok(performance.now() - started < PROMPTLY_MS, 'before the time of a call is up');
  await bystander();
  const next = Number(textOf(await call('bad:pid')));
  assert.notEqual(next, former);
  assert.ok(!isAlive(former));
});

test('a server that leaves a grandchild with its pipes is seen to be dead, and the grandchild goes', async () => {
  const grandchild = Number(textOf(await call('parent:leave_grandchild')));
  assert.ok(isAlive(grandchild));
  const answer = await within(call('parent:die'), PROMPTLY_MS, 'the failure');
  assert.match(textOf(answer), /Server "parent" exited with code 7/);
  await waitForExit(grandchild);
  assert.equal(textOf(await call('parent:echo', { text: 'back' })), 'back');
});

test('garbage between messages is logged and loses no message', async () => {
  assert.equal(textOf(await call('bad:garbage')), 'after garbage');
  await pml.logged(/\[bad\] \(not protocol\) Welcome/);
});

test('a line of 100 MB is not held: its server is stopped, said so, and started again', async () => {
  const { pid } = await statusOf(pml);
  const before = residentMb(pid);
  const flooding = call('huge:huge_line', { mb: 100 });
  await bystander();
  const answer = await flooding;
  assert.ok(failed(answer));
  assert.match(textOf(answer), /Server "huge" sent a message that is too large, and was stopped/);
  assert.ok(residentMb(pid) - before < 200, `the daemon grew by ${residentMb(pid) - before} MB`);
  assert.equal(textOf(await call('huge:echo', { text: 'back' })), 'back');
});

test('answers under a wrong id reach nobody', async () => {
  const waiting = other.callTool({ name: 'bad:slow', arguments: { ms: 300 } });
  assert.equal(textOf(await call('bad:wrong_id')), 'for the caller');
  assert.deepEqual((await waiting).content, [{ type: 'text', text: 'slowly' }]);
  answered += 1;
});

for (const result of ['text', 42, null, ['a'], true]) {
  test(`a result that is ${JSON.stringify(result)} fails the call at once and says which server`, async () => {
    const answer = await within(call('bad:bad_result', { result }), PROMPTLY_MS, 'the failure');
    assert.ok(failed(answer), JSON.stringify(answer));
    assert.match(textOf(answer), /Server "bad" answered "\w+" with an invalid result/);
  });
}

for (const tool of ['no_result', 'bad_error']) {
  test(`an answer with ${tool.replace('_', ' ')} fails the call at once and says which server`, async () => {
    const answer = await within(call(`bad:${tool}`), PROMPTLY_MS, 'the failure');
    assert.ok(failed(answer), JSON.stringify(answer));
    assert.match(textOf(answer), /Server "bad" answered "\w+" with an invalid result/);
  });
}

test('of two answers to one call the first counts', async () => {
  assert.equal(textOf(await call('bad:twice')), 'first');
  assert.equal(textOf(await call('bad:echo', { text: 'next' })), 'next');
});

test('10,000 log messages in a call all reach the caller, and nobody else waits for them', async () => {
  const flooding = call('bad:flood_logs', { count: 10_000 });
  await bystander();
  assert.equal(textOf(await flooding), 'flooded');
  const heard = session.messages.filter(({ method }) => method === 'notifications/message');
  assert.equal(heard.length, 10_000);
  session.messages.length = 0;
});

test('10,000 list_changed cost a few refreshes of the list, and the clients a few words', async () => {
  const before = Number(textOf(await call('bad:lists')));
  const flooding = call('bad:flood_changes', { count: 10_000 });
  await bystander();
  await flooding;
  const lists = await eventually(async () => {
    const now = Number(textOf(await call('bad:lists')));
    return now > before ? now : undefined;
  }, 'a refresh');
  assert.ok((lists ?? 0) - before <= 20, `${(lists ?? 0) - before} refreshes`);
  const told = session.messages.filter(({ method }) => method === 'notifications/tools/list_changed');
  assert.equal(told.length, 0, 'nothing changed, so there is nothing to tell');
});

test('a perSession server that dies harms only its own session', async () => {
  const theirs = await other.callTool({ name: 'own:pid' });
  answered += 1;
  assert.match(textOf(await call('own:die')), /Server "own" exited with code 7/);
  assert.deepEqual(await other.callTool({ name: 'own:pid' }), theirs);
  answered += 1;
  assert.equal(textOf(await call('own:echo', { text: 'back' })), 'back');
});

test('after all this every answered call is in the journal, once', async () => {
  assert.equal((await serverOf(pml, 'good')).state, 'ready');
  assert.equal((await pml.run(['down'])).code, 0);
  const rows = await usageOf(pml.home, pml.env.PML_DATABASE_URL);
  assert.equal(rows.length, answered);
  const timeouts = rows.filter(({ server_id, success }) => server_id === 'quick' && !success);
  assert.match(timeouts[0]?.error ?? '', /did not answer "hang" in time/);
});
