import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { eventually } from '../../src/testing/wait.ts';
import { type GatewayBed, type Loose, openGatewayBed } from '../support/gateway-bed.ts';

const data = mkdtempSync(join(scratchRoot(), 'pml-built-in-'));
const builtIn = { memory: {}, history: {}, tasks: {} };
let bed: GatewayBed;

before(async () => {
  mkdirSync(join(data, 'reports'));
  writeFileSync(join(data, 'reports', 'may.txt'), 'May was fine.');
  writeFileSync(join(data, 'secret.txt'), 'Nobody may read this.');
  bed = await openGatewayBed({
    agents: {
      analyst: {
        capabilities: { ...builtIn, files: { dirs: [join(data, 'reports')], tools: ['read_file'] } },
      },
      clerk: { capabilities: { ...builtIn, files: { dirs: [data] } } },
      idle: { capabilities: {} },
    },
  });
});
after(async () => {
  await bed.close();
  rmSync(data, { recursive: true, force: true });
});

/** Connects as an agent, and waits for its servers: a loaded machine may take longer than a client waits for lists. */
async function connect(agent: string) {
  const client = await bed.connect({ agent });
  await Promise.all(bed.gateway.workspace.upstreams.map((upstream) => upstream.settled()));
  return client;
}

const resultOf = ({ structuredContent }: Loose): Loose => {
  assert.equal(structuredContent?.status, 'success', JSON.stringify(structuredContent));
  return structuredContent.result;
};

test('the built-in capabilities of an agent are tools, and functions in code; those of others are not there', async () => {
  const analyst = await connect('analyst');
  const named = (await analyst.toolNames()).filter((name) => name.startsWith('mcp__'));
  assert.deepEqual(
    named.filter((name) => name.startsWith('mcp__files__')),
    ['mcp__files__read_file'],
  );
  assert.deepEqual([...new Set(named.map((name) => name.split('__')[1]))].sort(), [
    'files',
    'history',
    'memory',
    'tasks',
  ]);
  const read = await analyst.execute({ code: 'return mcp.files.read_file({ path: "may.txt" })' });
  assert.equal(resultOf(read), 'May was fine.');
  const escaped = await analyst.execute({ code: 'return mcp.files.read_file({ path: "../secret.txt" })' });
  assert.match(JSON.stringify(escaped.structuredContent.error), /outside the folders that can be reached/);
  const denied = await analyst.execute({ code: 'return mcp.files.write_file({ path: "x", content: "" })' });
  assert.equal(denied.structuredContent.error.code, 'tool_not_found');
  const idle = await connect('idle');
  assert.deepEqual(
    (await idle.toolNames()).filter((name) => name.startsWith('mcp__')),
    [],
  );
});

test('tasks and memory outlive a session, and are the agent’s own', async () => {
  const first = await connect('analyst');
  const kept = await first.execute({
    code: `await mcp.tasks.add_task({ title: 'Read June' });
           await mcp.memory.create_entities({ entities: [{ name: 'May', entityType: 'month', observations: ['fine'] }] });
           return 'kept'`,
  });
  assert.equal(resultOf(kept), 'kept');
  await first.close();
  const code =
    'return [(await mcp.tasks.list_tasks({})).tasks.map((t) => t.title), (await mcp.memory.read_graph({})).entities.map((e) => e.name)]';
  const [again, clerk] = [await connect('analyst'), await connect('clerk')];
  assert.deepEqual(resultOf(await again.execute({ code })), [['Read June'], ['May']]);
  assert.deepEqual(resultOf(await clerk.execute({ code })), [[], []]);
});

test('history finds what the agent called before, and nothing of other agents', async () => {
  const analyst = await connect('analyst');
  const clerk = await connect('clerk');
  await analyst.call('files:read_file', { path: 'may.txt' });
  await clerk.call('files:list_directory', { path: '.' });
  const toolsOf = async (client: typeof analyst) => {
    const { structuredContent } = await client.call('history:search_runs', { query: 'files:' });
    return new Set(structuredContent.runs.map(({ tool }: Loose) => tool));
  };
  await eventually(async () => (await toolsOf(clerk)).has('list_directory'), 'the journal to be stored');
  assert.deepEqual(await toolsOf(clerk), new Set(['list_directory']));
  assert.deepEqual(await toolsOf(analyst), new Set(['read_file']));
});
