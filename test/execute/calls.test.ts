import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { EACH_CLIENT, KINDS, type Loose, type Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';

const bed = new TestBed({
  mcpServers: {
    work: fixtureServer('fixture-work.ts'),
    old: fixtureServer('fixture-legacy.ts'),
    new: fixtureServer('fixture-modern.ts', 'stdio'),
  },
});
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

test('50 slow calls at once take about as long as one', async () => {
  const fifty = (call: string) => `Promise.all(Array.from({ length: 50 }, () => ${call}))`;
  // The server answers when all 50 calls have arrived.
  const together = await execute(peer, { code: `return await ${fifty('mcp.work.meet({ count: 50 })')}` });
  assert.equal(together.result.length, 50);
  const code = `const started = Date.now(); await ${fifty('mcp.work.wait({ ms: 1000 })')};
    return Date.now() - started`;
  const { result } = await execute(peer, { code });
  assert.ok(result >= 1000 && result < 20_000, `${result} ms; one after another 50,000`);
});

test('calls that the code does not await are cancelled when it returns', async () => {
  const key = 'abandoned';
  const code = `void mcp.old.hang({ key: args.key }).catch(() => {});
    await mcp.old.hanging({ key: args.key }); return "done"`;
  assert.equal((await execute(peer, { code, args: { key } })).result, 'done');
  await peer.call('old:cancelled', { key });
});

test('a run that times out cancels its calls', async () => {
  const code = 'return await mcp.old.hang({ key: args.key })';
  // On a busy machine a short run may end before it has made its call.
  for (let timeout = 300, called = false; !called; timeout *= 2) {
    const key = `late ${timeout}`;
    const failure = await failing(peer, { code, args: { key }, options: { timeout } });
    assert.equal(failure.code, 'code_timeout');
    called = failure.hint?.includes('waiting for mcp.old.hang') ?? false;
    assert.ok(called || timeout < 10_000, 'no run made its call');
    if (called) await peer.call('old:cancelled', { key });
  }
});

/** Two calls on two servers that never answer. Code that survives its cancelled run leaves a trace. */
const HANG = `try {
    await Promise.all([mcp.old.hang({ key: args.key }), mcp.new.hang({ key: args.key })]);
  } finally {
    await mcp.work.keep({ item: args.key });
  }`;

const bothHang = (key: string) =>
  Promise.all([peer.call('old:hanging', { key }), peer.call('new:hanging', { key })]);
const bothCancelled = (key: string) =>
  Promise.all([peer.call('old:cancelled', { key }), peer.call('new:cancelled', { key })]);

for (const { kind, transport } of EACH_CLIENT) {
  test(`a run cancelled by ${kind} over ${transport} stops, and so do its calls`, async () => {
    const client = await bed.peer(kind, transport);
    const key = `${kind} ${transport}`;
    const abort = new AbortController();
    const run = assert.rejects(execute(client, { code: HANG, args: { key } }, { signal: abort.signal }));
    await bothHang(key);
    abort.abort('no longer needed');
    await run;
    await bothCancelled(key);
  });
}

test('a capability called as a tool can be cancelled, with all nested calls', async () => {
  const once = { key: 'made', quick: true };
  const inner = 'if (!args.quick) return await mcp.old.hang({ key: args.key }); return args.key';
  await execute(peer, { name: 'hang:inner', code: inner, args: once });
  const outer = 'return await mcp.hang.inner({ key: args.key, quick: args.quick })';
  await execute(peer, { name: 'hang:outer', code: outer, args: once });
  const abort = new AbortController();
  const args = { key: 'deep', quick: false };
  const call = assert.rejects(peer.call('mcp__hang__outer', args, { signal: abort.signal }));
  await peer.call('old:hanging', { key: 'deep' });
  abort.abort();
  await call;
  await peer.call('old:cancelled', { key: 'deep' });
});

test('the end of a session ends its run', async () => {
  const raw = await RawClient.open(bed.pml);
  const params = { name: 'pml_execute', arguments: { intent: 'x', code: HANG, args: { key: 'left' } } };
  void raw.send(1, 'tools/call', params);
  await bothHang('left');
  await raw.close();
  await bothCancelled('left');
});

test('a modern client that closes its HTTP stream ends its run', async () => {
  const abort = new AbortController();
  const params = {
    name: 'pml_execute',
    arguments: { intent: 'x', code: HANG, args: { key: 'closed' } },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    },
  };
  const closed = fetch(`${await bed.url()}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'pml_execute',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: abort.signal,
  }).then((response) => response.text());
  const rejected = assert.rejects(closed);
  await bothHang('closed');
  abort.abort();
  await rejected;
  await bothCancelled('closed');
});

test('no code continued after its run was cancelled', async () => {
  assert.deepEqual((await execute(peer, { code: 'return await mcp.work.kept()' })).result, []);
});

for (const { kind, transport } of EACH_CLIENT) {
  test(`${kind} over ${transport} gets the progress of all calls of its run as one growing sequence`, async () => {
    const client = await bed.peer(kind, transport);
    const heard: Loose[] = [];
    // Each server continues only when its last step has arrived here.
    const onprogress = (progress: Loose) => {
      heard.push(progress);
      const [, label, step] = /^\w+:report: (.*) \/ (\d+)/.exec(progress.message) ?? [];
      if (label === undefined || step === undefined) return;
      void client.call(`${label.startsWith('old') ? 'old' : 'new'}:next`, {
        label,
        step: Number(step),
      });
    };
    const label = `${kind}, ${transport}`;
    const code = `const report = (server, steps) => mcp[server].report({ steps, label: server + " " + args.label });
      await report("old", 2); await report("new", 2); return "reported"`;
    const { result } = await execute(client, { code, args: { label } }, { onprogress });
    assert.equal(result, 'reported');
    assert.deepEqual(
      heard.map(({ progress, message }) => [progress, message]),
      [
        [1, 'call 1: old:report'],
        [2, `old:report: old ${label} / 1 of 2`],
        [3, `old:report: old ${label} / 2 of 2`],
        [4, 'call 2: new:report'],
        [5, `new:report: new ${label} / 1 of 2`],
        [6, `new:report: new ${label} / 2 of 2`],
      ],
    );
    assert.deepEqual(client.errors, []);
  });
}

const SAMPLING = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }], maxTokens: 7 },
};
const ELICITATION = {
  method: 'elicitation/create',
  params: {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};
const MESSAGE = 'notifications/message';
const PARIS = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'mock' };
const ANA = { action: 'accept', content: { name: 'Ana' } };
const answering = { sample: () => PARIS, elicit: () => ANA };
const questions = [SAMPLING, ELICITATION];

for (const { kind, transport } of EACH_CLIENT) {
  test(`${kind} over ${transport} answers the requests of tools during its run`, async () => {
    const asked: string[] = [];
    const elicit = ({ message }: Loose) => {
      asked.push(message);
      return ANA;
    };
    const client = await bed.peer(kind, transport, { ...answering, elicit });
    const code = `const all = [];
      for (const server of ["old", "new"]) all.push(await mcp[server].ask({ questions: args.questions }));
      return all`;
    const { result } = await execute(client, { code, args: { questions } });
    for (const { answers } of result) assert.partialDeepStrictEqual(answers, [PARIS, ANA]);
    // A run may call many servers, so each question says which of them asks.
    assert.deepEqual(asked, ['Server "old" asks: Your name?', 'Server "new" asks: Your name?']);
  });

  test(`${kind} over ${transport} gets console lines while its code runs, if it asked for log messages`, async () => {
    const client = await bed.peer(kind, transport);
    const lines = () => client.notifications.of(MESSAGE).map(({ params }) => [params.level, params.data]);
    const code = `console.log("one"); console.warn("two", { n: 2 }); console.debug("no");
      if (args.wait) await mcp.work.meet({ count: 2 });
      return "done"`;
    await execute(client, { code, args: { wait: false } });
    assert.deepEqual(lines(), [], 'nothing without a level');
    const isModern = kind === 'SDK v2 modern';
    if (!isModern) await client.request('logging/setLevel', { level: 'info' });
    const running = client.request('tools/call', {
      name: 'pml_execute',
      arguments: { intent: 'log', code, args: { wait: true } },
      ...(isModern && { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } }),
    });
    // The code goes on only when its lines have arrived here.
    await client.notifications.until(MESSAGE, 2);
    assert.deepEqual(lines(), [
      ['info', 'one'],
      ['warning', 'two { n: 2 }'],
    ]);
    await client.call('work:meet', { count: 2 });
    assert.equal((await running).structuredContent.result, 'done');
    assert.deepEqual(client.errors, []);
  });
}

describe('requests', () => {
  for (const kind of KINDS) {
    test(`of two tools at once are both answered by ${kind}`, async () => {
      const client = await bed.peer(kind, 'HTTP', answering);
      const code = `return (await Promise.all([
        mcp.old.ask({ questions: args.questions }), mcp.new.ask({ questions: args.questions }),
      ])).map(({ answers }) => answers.length)`;
      const { result } = await execute(client, { code, args: { questions } });
      assert.deepEqual(result, [2, 2]);
    });

    test(`of a capability's tool are answered by ${kind}`, async () => {
      const client = await bed.peer(kind, 'HTTP', answering);
      const name = `ask:${kind.replaceAll(' ', '_')}`;
      const code = `return { of: "${kind}", ...await mcp.old.ask({ questions: args.questions }) }`;
      await execute(client, { name, code, args: { questions: [] } });
      const { structuredContent } = await client.call(name, { questions });
      assert.partialDeepStrictEqual(structuredContent.answers, [PARIS, ANA]);
    });

    test(`fail with the reason at ${kind} that cannot answer`, async () => {
      const client = await bed.peer(kind);
      const code = 'return await mcp.old.ask({ questions: args.questions })';
      const { message } = await failing(client, { code, args: { questions } });
      assert.match(message, /does not support sampling/);
    });
  }
});
