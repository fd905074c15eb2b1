import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encode } from 'gpt-tokenizer';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';
import { answerOf, execute } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const pml = new Pml({ after });
before(() => onUsualEngine(pml));

/** A session over so many tools of one server. */
async function session(expose: string, count: number): Promise<Peer> {
  const mcpServers = { office: fixtureServer('fixture-office.ts', '--count', String(count - 8)) };
  const peer = await connectPeer(pml, 'SDK v2 legacy', 'stdio', '', {
    cwd: pml.project(`${expose}-${count}`, { mcpServers, expose }),
  });
  await serversReady(pml);
  return peer;
}

/** Counts the tokens that a client gives a model before the model has done anything. */
async function tokensOf(peer: Peer): Promise<number> {
  const tools = await peer.list('tools/list', 'tools');
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return encode(JSON.stringify(shown)).length + encode(peer.instructions() ?? '').length;
}

test('what a client must load stays constant in a lean session, however many tools there are', async (t) => {
  const figures: Record<string, number> = {};
  for (const count of [10, 100, 1000]) {
    for (const expose of ['lean', 'all']) {
      const peer = await session(expose, count);
      figures[`${expose} ${count}`] = await tokensOf(peer);
      await peer.close();
    }
  }
  t.diagnostic(JSON.stringify(figures));
  // The instructions say how many tools there are, in a token more or less.
  const lean = [10, 100, 1000].map((count) => figures[`lean ${count}`] as number);
  assert.ok(Math.max(...lean) - Math.min(...lean) <= 3);
  assert.ok(Math.max(...lean) < 1700);
  assert.ok((figures['all 1000'] as number) > 30 * (figures['lean 1000'] as number));
});

test('in a lean session everything found can be called through pml_execute, and the answer says how', async () => {
  const peer = await session('lean', 20);
  const { results, message } = await ask(peer, 'pml_discover', { intent: 'send an email to a recipient' });
  assert.match(message, /Call through pml_execute/);
  assert.match(results[0].signature, /^mcp\.office\.send_email\(/);
  const intent = 'send an email to eve@example.org with subject "Hi"';
  const { suggestions } = await answerOf(peer, { intent });
  const { call } = suggestions.find(({ name }: Loose) => name === 'mcp__office__send_email');
  assert.equal(call.name, 'pml_execute');
  assert.match(JSON.stringify((await execute(peer, call.arguments)).result), /send_email.*eve@example\.org/);
  await execute(peer, {
    name: 'mail:one',
    intent: 'mail one friend',
    code: 'return ["one", args.to]',
    args: { to: 'a' },
  });
  const [{ name, tool }] = (await ask(peer, 'pml_discover', { intent: 'mail one friend' })).results;
  assert.deepEqual([name, tool], ['mail:one', undefined]);
  assert.deepEqual((await execute(peer, { capability: name, args: { to: 'b' } })).result, ['one', 'b']);
});
