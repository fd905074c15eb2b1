import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import {
  type AgentClient,
  type GatewayBed,
  type Loose,
  openGatewayBed,
  rightsServer,
} from '../support/gateway-bed.ts';

const config = {
  mcpServers: {
    fs: rightsServer('fs', ['read', 'touch', 'change']),
    db: rightsServer('db', ['query', 'touch', 'change']),
  },
  agents: {
    whole: { capabilities: { fs: {} } },
    reader: { capabilities: { fs: { tools: ['read'] } } },
    nothing: { capabilities: { fs: { tools: [] } } },
    other: { capabilities: { db: {} } },
    busy: { capabilities: { db: {}, tasks: {} } },
    third: { capabilities: { db: { tools: ['query'] }, tasks: { tools: ['list_tasks'] } } },
  },
};

let bed: GatewayBed;
let user: AgentClient;

before(async () => {
  bed = await openGatewayBed(config);
  user = await bed.connect();
  await user.toolNames();
});
after(() => bed.close());

const heard = (client: AgentClient, method: string) => client.heard.filter((one) => one.method === method);
const LIST_CHANGED = 'notifications/tools/list_changed';
const toolsOf = async (client: AgentClient) =>
  (await client.toolNames()).filter((name) => name.startsWith('mcp__'));

test('`tools: []` leaves no tool, prompt or resource of the server, and nothing that says so', async () => {
  const client = await bed.connect({ agent: 'nothing' });
  assert.deepEqual(await toolsOf(client), []);
  for (const [method, key] of [
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const)
    assert.deepEqual((await client.request(method))[key], [], method);
  const { structuredContent } = await client.execute({ code: 'return Object.keys(mcp)' });
  assert.deepEqual(structuredContent.result, []);
  assert.deepEqual(await (await bed.connect({ agent: 'nothing', capability: 'fs' })).toolNames(), []);
});

test('a tool that appears is there for agents with the whole server, one that disappears is gone for all', async () => {
  const [whole, reader, other] = [
    await bed.connect({ agent: 'whole' }),
    await bed.connect({ agent: 'reader' }),
    await bed.connect({ agent: 'other' }),
  ];
  await user.call('fs:change', { tools: ['read', 'touch', 'change', 'added'] });
  await eventually(async () => (await toolsOf(whole)).includes('mcp__fs__added'), 'the new tool is listed');
  await eventually(() => heard(whole, LIST_CHANGED).length > 0, 'it is told that its list changed');
  assert.equal((await whole.call('fs:added')).structuredContent.tool, 'added');
  assert.deepEqual(await toolsOf(reader), ['mcp__fs__read']);
  assert.ok((await reader.call('fs:added')).error);
  // Nothing changed for these, so they hear nothing.
  assert.deepEqual([heard(reader, LIST_CHANGED), heard(other, LIST_CHANGED)], [[], []]);
  await user.call('fs:change', { tools: ['touch', 'change'] });
  await eventually(async () => (await toolsOf(reader)).length === 0, 'the tool is gone');
  await eventually(() => heard(reader, LIST_CHANGED).length > 0, 'it is told that its list changed');
  assert.deepEqual(heard(other, LIST_CHANGED), []);
  const missing = await reader.execute({ code: 'return await mcp.fs.read({})' });
  assert.equal(missing.structuredContent.error.code, 'tool_not_found');
  await user.call('fs:change', { tools: ['read', 'touch', 'change'] });
  await eventually(async () => (await toolsOf(reader)).length === 1, 'the tool is back');
});

test('updates of resources and log messages of a server reach only agents that have it', async () => {
  const [whole, reader, other] = [
    await bed.connect({ agent: 'whole' }),
    await bed.connect({ agent: 'reader' }),
    await bed.connect({ agent: 'other' }),
  ];
  await whole.request('resources/subscribe', { uri: 'fs://doc' });
  await assert.rejects(reader.request('resources/subscribe', { uri: 'fs://doc' }), /Resource not found/);
  await other.request('resources/subscribe', { uri: 'db://doc' });
  for (const client of [whole, reader, other]) await client.request('logging/setLevel', { level: 'debug' });
  await whole.call('fs:touch');
  await eventually(() => heard(whole, 'notifications/resources/updated').length > 0, 'the update arrives');
  await eventually(() => heard(whole, 'notifications/message').length > 0, 'the log message arrives');
  await other.call('db:touch');
  await eventually(() => heard(other, 'notifications/resources/updated').length > 0, 'the update arrives');
  assert.deepEqual(
    heard(whole, 'notifications/resources/updated').map(({ params }) => params.uri),
    ['fs://doc'],
  );
  assert.deepEqual(
    heard(other, 'notifications/resources/updated').map(({ params }) => params.uri),
    ['db://doc'],
  );
  assert.deepEqual(heard(reader, 'notifications/resources/updated'), []);
  const logged = (client: AgentClient) =>
    heard(client, 'notifications/message').map(({ params }) => params.logger);
  assert.deepEqual([...new Set(logged(whole))], ['fs']);
  assert.deepEqual([...new Set(logged(other))], ['db']);
  assert.deepEqual(logged(reader), []);
});

test('sessions of one agent share its own servers, and two agents do not', async () => {
  const first = await bed.connect({ agent: 'busy' });
  const again = await bed.connect({ agent: 'busy', capability: 'tasks' });
  const third = await bed.connect({ agent: 'third' });
  const own = () => bed.gateway.workspace.upstreams.filter(({ name }) => name === 'tasks').length;
  const tools = await again.toolNames();
  assert.ok(tools.includes('list_tasks') && tools.includes('add_task'), tools.join());
  assert.equal(own(), 2);
  await first.call('tasks:add_task', { title: 'mine alone' });
  assert.match(JSON.stringify(await again.call('list_tasks')), /mine alone/);
  assert.doesNotMatch(JSON.stringify(await third.call('tasks:list_tasks')), /mine alone/);
  assert.ok((await third.call('tasks:add_task', { title: 'x' })).error);
  assert.ok((await user.call('tasks:list_tasks', {})).structuredContent?.error, 'it is the agents’ alone');
  const found = await first.call('pml_discover', { intent: 'list the open tasks' });
  assert.match(JSON.stringify(found.structuredContent.results), /mcp__tasks__list_tasks/);
});

test('who asks for an agent, or a part of one, that cannot be had is told why', async () => {
  const { fs, ...rest } = config.mcpServers;
  const renamed = await bed.reopen({ ...config, mcpServers: { ...rest, fss: fs } });
  const unknown = /capabilities\.fs: unknown capability; did you mean "fss"/;
  await assert.rejects(bed.connect({ agent: 'whole' }, { of: renamed }), unknown);
  // The others go on.
  const other = await bed.connect({ agent: 'other' }, { of: renamed });
  assert.ok((await toolsOf(other)).includes('mcp__db__query'));
  bed.declare('late', { fs: { tools: ['raed'] }, db: { tools: ['*'] } });
  await assert.rejects(bed.connect({ agent: 'late' }), (error: Loose) => {
    assert.equal(error.code, 'config_invalid');
    assert.match(
      error.message,
      /agent "late"[\s\S]*fs\.tools\[0\]: unknown tool "raed"[\s\S]*db\.tools\[0\]/,
    );
    return true;
  });
  await assert.rejects(bed.connect({ agent: 'nobody' }), /There is no agent "nobody"/);
  await assert.rejects(bed.connect({ agent: 'other', capability: 'fs' }), /has no capability "fs"/);
  await assert.rejects(bed.connect({ capability: 'fs' }), /no agent was named/);
});

test('the default agent is what a session without an agent is, unless a person types', async () => {
  const gateway = await bed.reopen({ ...config, defaultAgent: 'reader' });
  const plain = await bed.connect({}, { of: gateway });
  assert.deepEqual(await toolsOf(plain), ['mcp__fs__read']);
  assert.deepEqual((await toolsOf(await bed.connect({ agent: 'other' }, { of: gateway }))).length > 1, true);
  const person = await bed.connect({}, { of: gateway, who: { ...bed.user, person: true } });
  assert.ok((await toolsOf(person)).includes('mcp__db__query'));
});
