import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { attempt, waitForExit } from '../../src/testing/wait.ts';
import { connectPeer, type Peer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { answerOf, execute, failing, TestBed } from '../support/test-bed.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

/** Longer than any run waits here for others, on the busiest machine. */
const RUN_MS = 300_000;
const bed = new TestBed({
  mcpServers: {
    work: fixtureServer('fixture-work.ts'),
    old: { ...fixtureServer('fixture-legacy.ts'), pml: { timeoutMs: RUN_MS } },
  },
  sandbox: { timeoutMs: RUN_MS },
});
let peer: Peer;
let other: Peer;

before(async () => {
  [peer, other] = (await Promise.all([bed.peer(), bed.peer('SDK v1', 'stdio')])) as [Peer, Peer];
});

test('the config limits how many runs go on at once', async (t) => {
  const config = { mcpServers: { work: fixtureServer('fixture-work.ts') }, sandbox: { concurrency: 1 } };
  const pml = new Pml(t, config);
  await onUsualEngine(pml);
  const narrow = await connectPeer(pml, 'SDK v2 legacy', 'stdio', '');
  // Neither the start of the server nor that of the sandbox counts then.
  assert.deepEqual(
    (await answerOf(narrow, { code: 'return await mcp.work.meet({ count: 1 })' })).error,
    undefined,
  );
  // Each waits for the other, which waits for its end.
  const meeting = { code: 'return await mcp.work.meet({ count: 2 })', options: { timeout: 1000 } };
  const both = await Promise.all([answerOf(narrow, meeting), answerOf(narrow, meeting)]);
  assert.ok(
    both.some(({ error }) => error?.code === 'code_timeout'),
    JSON.stringify(both),
  );
});

interface Child {
  pid: number;
  rssKb: number;
}

/** Returns the sandbox processes: the daemon's children that run under Node's permission model. */
async function sandboxChildren(): Promise<Child[]> {
  const { pid } = await statusOf(bed.pml);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.flatMap((child) => {
    try {
      if (!readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0').includes('--permission')) return [];
      const rssKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]);
      return [{ pid: Number(child), rssKb }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}

const linux = process.platform === 'linux' ? {} : { skip: 'only Linux tells a process its children' };

test('a killed sandbox process ends its own run with a clear error, and no other', linux, async () => {
  // Uses much memory, so that its process can be told from the others.
  const large = `const held = new Array(6_000_000).fill(1.5);
    await mcp.old.hang({ key: "victim" }); return held.length`;
  const small = 'await mcp.old.report({ steps: 1, label: "bystander" }); return "unharmed"';
  const victim = failing(peer, { code: large }, { timeout: RUN_MS });
  const heard = Promise.withResolvers<void>();
  const bystander = execute(other, { code: small }, { onprogress: () => heard.resolve(), timeout: RUN_MS });
  await Promise.all([other.call('old:hanging', { key: 'victim' }), heard.promise]);

  const [largest, ...others] = (await sandboxChildren()).sort((a, b) => b.rssKb - a.rssKb);
  assert.ok(largest && others.length > 0);
  process.kill(largest.pid, 'SIGKILL');
  const { code, message } = await victim;
  assert.equal(code, 'cancelled');
  assert.match(message, /The sandbox process of this run ended unexpectedly \(SIGKILL\)/);
  await waitForExit(largest.pid);
  // Its call was cancelled at the server too.
  await other.call('old:cancelled', { key: 'victim' });

  await other.call('old:next', { label: 'bystander', step: 1 });
  assert.equal((await bystander).result, 'unharmed');
  assert.equal((await execute(peer, { code: 'return "replaced"' })).result, 'replaced');
});

test('a sandbox process has no environment', linux, async () => {
  const [child] = await sandboxChildren();
  assert.ok(child);
  assert.equal(readFileSync(`/proc/${child.pid}/environ`, 'utf8'), '');
});

/** Starts runs that last until they are cancelled. */
function endless(codes: string[]) {
  const abort = new AbortController();
  let over = 0;
  const runs = codes.map((code) =>
    answerOf(peer, { code }, { signal: abort.signal, timeout: RUN_MS })
      .catch(() => {})
      .then(() => {
        over += 1;
      }),
  );
  const stop = async () => {
    abort.abort();
    await Promise.all(runs);
  };
  return { over: () => over, stop };
}

test('while hostile code runs, other sessions are answered', async () => {
  // A run that only computes ends after 5 s of processor time, which a paused machine may leave to it before all else.
  const over = await attempt(
    async () => {
      const hostile = endless([
        'while (true);',
        'for (;;) await null;',
        'setInterval(() => { for (let i = 0; i < 1e8; i++); }, 0); await new Promise(() => {})',
      ]);
      const answers = await Promise.all([
        other.call('old:echo', { word: 'there' }),
        other.toolNames(),
        execute(other, { code: 'return (await mcp.work.read({ path: "a" })).path' }),
      ]);
      const ended = hostile.over();
      assert.equal(answers[2].result, 'a');
      await hostile.stop();
      return ended;
    },
    (ended) => ended === 0,
  );
  assert.equal(over, 0, 'the others were answered first');
});

test('with every sandbox busy, tools can still be called, and the next run gets its turn', async () => {
  const keys = Array.from({ length: 8 }, (_, at) => `taken ${at}`);
  const all = endless(keys.map((key) => `return await mcp.old.hang({ key: "${key}" })`));
  await Promise.all(keys.map((key) => other.call('old:hanging', { key })));
  const next = execute(other, { code: 'return "my turn"' }, { timeout: RUN_MS });
  assert.deepEqual((await other.call('old:echo', { word: 'x' })).structuredContent.args, { word: 'x' });
  assert.equal(all.over(), 0);
  await all.stop();
  assert.equal((await next).result, 'my turn');
});
