/** The habits of real clients (docs/clients.md), imitated by SDK clients: PML must be usable all the same. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { fixtureServer, npmServer, Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';
import { execute } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

/** Claude Code shows a model no more of the instructions. */
const SHOWN_INSTRUCTIONS = 4096;

/** It has instructions of its own, more than a page of them. */
const wordy = npmServer('everything');
const pml = new Pml(
  { after },
  {
    mcpServers: {
      office: fixtureServer('fixture-office.ts', '--count', '60'),
      work: fixtureServer('fixture-work.ts'),
      wordy,
    },
  },
);
before(() => onUsualEngine(pml));
const connect = () => connectPeer(pml, 'SDK v2 legacy', 'stdio', '');

/** All that the model of a client with deferred tools is given: the beginning of the instructions, and two definitions. */
async function firstRequest(peer: Peer): Promise<{ instructions: string; tools: Loose[] }> {
  const listed = await peer.list('tools/list', 'tools');
  const tools = listed.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
  return { instructions: (peer.instructions() ?? '').slice(0, SHOWN_INSTRUCTIONS), tools };
}

test('a model whose client defers tools learns what PML is for, finds a tool and calls it in code', async () => {
  await connect();
  await serversReady(pml);
  const peer = await connect();
  const { instructions, tools } = await firstRequest(peer);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['pml_execute', 'pml_discover'],
  );
  for (const said of ['PML', 'pml_discover', 'pml_execute', 'await mcp.', 'return', 'name', /office \d+/])
    assert.match(instructions, new RegExp(said), `the instructions say ${said}`);
  const { results } = await ask(peer, 'pml_discover', { intent: 'send an email' });
  const [signature] = /mcp\.office\.send_email/.exec(results[0].signature) ?? [];
  const code = `return await ${signature}({ to: 'a@example.org', subject: 'Hi', body: 'Hello' })`;
  assert.equal((await execute(peer, { intent: 'greet', code })).status, 'success');
});

test('a client that never refreshes its list calls what it learned by the call it was told', async () => {
  const peer = await connect();
  const before = await peer.toolNames();
  const { remembered } = await execute(peer, {
    intent: 'read a note',
    name: 'notes:read',
    code: 'return await mcp.work.read({ path: "first" })',
  });
  assert.equal(remembered.tool, 'mcp__notes__read');
  assert.ok(!before.includes(remembered.tool));
  const [, input = ''] = /^pml_execute\((.*)\)$/s.exec(remembered.call) ?? [];
  assert.equal((await execute(peer, JSON.parse(input))).capabilityName, 'notes:read');
  // Its list is older than the rename, too.
  await ask(peer, 'cap_rename', { name: 'notes:read', new_name: 'notes:open' });
  const again = await execute(peer, JSON.parse(input));
  assert.equal(again.capabilityName, 'notes:open');
  assert.match(again.warnings[0], /"notes:read" is a former name of "notes:open"/);
});

test('instructions of servers cannot push those of PML out of what is shown', async () => {
  await connect();
  await serversReady(pml);
  const { instructions } = await firstRequest(await connect());
  const [own = '', ofServers] = instructions.split('\n## wordy');
  assert.ok(ofServers, 'the server has its say after PML');
  assert.match(own, /^PML/);
  assert.ok(own.length <= 2000, `${own.length} characters`);
});
