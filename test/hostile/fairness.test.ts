import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { times } from '../../src/testing/effort.ts';
import { connectPeer, type Peer } from '../support/clients.ts';
import { Pml } from '../support/pml.ts';
import { INITIALIZE, RawSession } from '../support/raw-session.ts';
import { answerOf, execute, failing } from '../support/test-bed.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const CONCURRENCY = 4;
const ROUNDS = times(25);
/** The limit for the 95th percentile of a neighbour's runs. */
const PROMPT_MS = 1_000;
/** Attempts: other work may keep the machine busy for a moment, but runs that wait for the attack do so each time. */
const ATTEMPTS = 4;
const FORGET = { options: { remember: false } };

const ATTACKS = {
  sleep: 'await new Promise((resolve) => setTimeout(resolve, 25_000)); return 1',
  spin: `const end = Date.now() + 25_000;
    while (Date.now() < end) {
      const pause = Date.now() + 1_000;
      while (Date.now() < pause);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }`,
  flood: 'return 1',
};

/** A run that makes a thousand calls takes long on a busy machine. */
const pml = new Pml({ after }, { sandbox: { concurrency: CONCURRENCY, timeoutMs: 180_000 } });
before(() => onUsualEngine(pml));

async function peerOf(user: string): Promise<Peer> {
  return connectPeer(pml, 'SDK v2 legacy', 'stdio', '', { env: { PML_USER: user } });
}

/** The 95th percentile of the time for runs of a trivial program. */
async function p95(peer: Peer, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    assert.equal((await execute(peer, { code: `return ${i}`, ...FORGET })).result, i);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.ceil(0.95 * rounds) - 1] as number;
}

test('runs that sleep, compute or come in floods delay neither another user nor a second session', async () => {
  const [hog, second, ann] = await Promise.all(['hog', 'hog', 'ann'].map((user) => peerOf(user)));
  assert.ok(hog && second && ann);
  for (let attempt = 1; ; attempt++) {
    // Measured first, since a busy machine makes everything take longer.
    const quiet = await p95(ann, 10);
    const over = new AbortController();
    const attack = (code: string, count: number) =>
      Array.from({ length: count }, () =>
        answerOf(hog, { code, ...FORGET }, { signal: over.signal }).then(
          ({ status }) => status,
          () => 'cancelled',
        ),
      );
    const held = [...attack(ATTACKS.spin, CONCURRENCY), ...attack(ATTACKS.sleep, 2 * CONCURRENCY)];
    const flood = attack(ATTACKS.flood, 500);
    const waits = await Promise.all([p95(ann, ROUNDS), p95(second, ROUNDS)]);
    over.abort();
    await Promise.all([...held, ...flood]);
    if (Math.max(...waits) < Math.max(PROMPT_MS, 10 * quiet)) return;
    assert.ok(attempt < ATTEMPTS, `p95 of ${waits} ms, ${quiet} ms without the attack`);
  }
});

test('capabilities that call each other without end reach the limit of one run', async () => {
  const hog = await peerOf('hog');
  await execute(hog, { code: 'return args.n', name: 'bomb:leaf', args: { n: 1 } });
  // A list is no object of arguments, so each call fails before it costs a run of its own.
  const middle = `let message = '';
    const list = Array.from(args.none ?? []);
    for (let i = 0; i < args.calls; i++) {
      await mcp.bomb.leaf(list).catch((error) => { message = error.message; });
    }
    return message`;
  await execute(hog, { code: middle, name: 'bomb:middle', args: { calls: 1 } });
  const outer = 'return [await mcp.bomb.middle({ calls: 600 }), await mcp.bomb.middle({ calls: 600 })]';
  const { result } = await execute(hog, { code: outer, ...FORGET });
  assert.match(result[0], /must be an object/);
  assert.match(result[1], /One run may call capabilities 1000 times.* Call fewer of them/);
});

test('values that are nested too deep are refused with the reason', async () => {
  const hog = await peerOf('hog');
  const deep = 'let deep = []; for (let i = 0; i < 20_000; i++) deep = [deep];';
  const result = await failing(hog, { code: `${deep} return deep` });
  assert.match(result.message, /result is nested deeper than 500 levels: make it flatter/);
  await execute(hog, { code: 'return args.list', name: 'deep:list', args: { list: [] } });
  const argument = await failing(hog, { code: `${deep} return await mcp.deep.list({ list: deep })` });
  assert.match(argument.message, /argument of mcp\.deep\.list is nested deeper than 500 levels/);

  const raw = new RawSession(pml, { env: { PML_USER: 'hog' } });
  raw.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE });
  await raw.receive(({ id }) => id === 1);
  // The sandbox allows 500 levels, the gateway 1,000.
  const refusals = [
    { levels: 800, words: /nested deeper than 500 levels/ },
    { levels: 20_000, words: /nested too deeply/ },
  ];
  let asked = 1;
  for (const { levels, words } of refusals) {
    const list = '['.repeat(levels) + ']'.repeat(levels);
    for (const params of [
      `{"name":"pml_execute","arguments":{"intent":"x","code":"return 1","args":{"list":${list}}}}`,
      `{"name":"pml_execute","arguments":{"intent":"x","capability":"deep:list","args":{"list":${list}}}}`,
      `{"name":"deep:list","arguments":{"list":${list}}}`,
    ]) {
      asked += 1;
      raw.write(`{"jsonrpc":"2.0","id":${asked},"method":"tools/call","params":${params}}\n`);
      const message = await raw.receive(({ id }) => id === asked);
      assert.match(JSON.stringify(message), words, params.slice(0, 80));
    }
  }
});
