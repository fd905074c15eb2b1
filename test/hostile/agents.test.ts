import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scratchRoot } from '../../src/testing/scratch.ts';
import {
  type AgentClient,
  type GatewayBed,
  type Loose,
  openGatewayBed,
  rightsServer,
} from '../support/gateway-bed.ts';

const data = mkdtempSync(join(scratchRoot(), 'pml-hostile-'));
let bed: GatewayBed;
let user: AgentClient;

before(async () => {
  for (const folder of ['diary', 'notes']) mkdirSync(join(data, folder));
  writeFileSync(join(data, 'diary', 'day.json'), '{"key_of_diary":{"text":"dear diary"}}');
  writeFileSync(join(data, 'vault.env'), 'VAULT_KEY=key-of-the-vault');
  const files = (folder: string) => ({ files: { dirs: [join(data, folder)] } });
  bed = await openGatewayBed({
    mcpServers: {
      fs: rightsServer('fs', ['read']),
      vault: { ...rightsServer('vault', ['open']), envFile: join(data, 'vault.env') },
    },
    agents: {
      limited: { capabilities: { fs: {}, capabilities: {} } },
      clerk: {
        capabilities: {
          fs: {},
          capabilities: { names: ['office:file', 'office:copy', 'office:one', 'office:two'] },
        },
      },
      gardener: { capabilities: files('.') },
      historian: { capabilities: { fs: {}, history: {} } },
      diarist: { capabilities: { ...files('diary'), tasks: {}, capabilities: {} } },
      snoop: { capabilities: { ...files('notes'), tasks: {}, capabilities: {} } },
    },
  });
  user = await bed.connect();
});
after(async () => {
  await bed.close();
  rmSync(data, { recursive: true, force: true });
});

const code = 'const opened = await mcp.vault.open({ n: 4711 }); return { opened }';

test('an agent replays no recording of a tool that it may not use, and its verdict does not count', async () => {
  await user.execute({ name: 'lib:vaulted', intent: 'open the vault', code });
  await user.execute({ name: 'lib:nested', intent: 'nested', code: 'return [await mcp.lib.vaulted({})]' });
  await user.execute({ name: 'lib:read', intent: 'read', code: 'return [await mcp.fs.read({ n: 12 })]' });
  for (const name of ['lib:vaulted', 'lib:nested', 'lib:read']) {
    const { structuredContent } = await user.call('cap_verify', { name });
    assert.equal(structuredContent.verified, true, name);
  }
  const limited = await bed.connect({ agent: 'limited' });
  for (const name of ['lib:vaulted', 'lib:nested']) {
    const { structuredContent } = await limited.call('cap_verify', { name });
    assert.deepEqual(structuredContent.runs, [], name);
    assert.equal((await user.call('cap_whois', { name })).structuredContent.verified, true, name);
    const updated = await limited.call('cap_update', { name, code: `return { never: "${name}" }` });
    assert.deepEqual(updated.structuredContent.replay, { passed: 0, failed: 0, differences: [] }, name);
  }
  const { structuredContent } = await limited.call('cap_verify', { name: 'lib:read' });
  assert.equal(structuredContent.verified, true);
});

/** Connects as an agent, and waits for its servers. */
async function connect(agent: string): Promise<AgentClient> {
  const client = await bed.connect({ agent });
  await Promise.all(bed.gateway.workspace.upstreams.map((upstream) => upstream.settled()));
  return client;
}

test('nothing that the own servers of an agent answer is told to another agent of its user', async () => {
  const [diarist, snoop] = [await connect('diarist'), await connect('snoop')];
  const read = 'return await mcp.files.read_text_file({ path: "day.json" })';
  const made = await diarist.execute({ name: 'lib:day', intent: 'read my day', code: read });
  assert.equal(made.structuredContent.result.key_of_diary.text, 'dear diary');
  for (let n = 0; n < 5; n++) await diarist.call('lib:day', {});
  await diarist.call('files:read_text_file', { path: 'day.json' });
  const seen = [
    await snoop.request('tools/list'),
    await snoop.call('pml_discover', { intent: 'read a text file of my day' }),
    await snoop.call('cap_whois', { name: 'lib:day' }),
    await snoop.call('cap_verify', { name: 'lib:day' }),
    await snoop.call('cap_update', { name: 'lib:day', code: 'return "nothing"' }),
  ];
  assert.match(JSON.stringify(seen), /read_text_file/);
  assert.doesNotMatch(JSON.stringify(seen), /key_of_diary|dear diary/);
});

test('the history of an agent does not name the hidden capability that its code turned out to be', async () => {
  const code = 'const r = await mcp.fs.read({ n: 5 }); return { r, kind: "payroll" }';
  await user.execute({ name: 'payroll:hidden', intent: 'pay', code });
  const historian = await connect('historian');
  const ran = async (sent: string) => {
    await historian.execute({ code: sent });
    await bed.resources.journal.flush();
    const { structuredContent } = await historian.call('history:search_runs', { limit: 3 });
    return structuredContent.runs.map(({ server, tool }: Loose) => `${server}:${tool}`);
  };
  const known = await ran(code);
  const isNew = await ran('const r = await mcp.fs.read({ n: 5 }); return { r, sort: [r].length }');
  const isNotKept = await ran('return 1');
  assert.deepEqual(known, ['pml-std:pml_execute', 'pml:pml_execute', 'fs:read']);
  assert.deepEqual(isNew, known);
  assert.deepEqual(isNotKept.slice(0, 2), known.slice(0, 2));
  const stats = await user.call('cap_stats', { name: 'payroll:hidden' });
  assert.equal(stats.structuredContent.calls, 2);
});

test('statistics of the servers that an agent has to itself are of its own calls', async () => {
  const [diarist, snoop] = [await connect('diarist'), await connect('snoop')];
  await diarist.call('tasks:add_task', { title: 'write' });
  const tools = async (client: AgentClient) => {
    const { structuredContent } = await client.call('cap_stats', {});
    return structuredContent.tools.map(({ name }: Loose) => name);
  };
  assert.ok((await tools(diarist)).includes('tasks:add_task'));
  assert.ok(!(await tools(snoop)).includes('tasks:add_task'));
  assert.equal((await snoop.call('cap_stats', { name: 'tasks' })).structuredContent.calls, 0);
});

test('an agent that may use some capabilities gives their names alone, and does not learn which others are taken', async () => {
  await user.execute({ name: 'office:file', intent: 'file', code: 'return { file: [1].length }' });
  await user.execute({ name: 'office:taken', intent: 'take', code: 'return { taken: [2].length }' });
  const clerk = await connect('clerk');
  const answers = async (name: string) => {
    const given = [
      await clerk.execute({ name, code: 'return { mine: [3, 4].length }' }),
      await clerk.call('cap_rename', { name: 'office:file', new_name: name }),
      await clerk.call('cap_fork', { source: 'office:file', name }),
      await clerk.call('cap_merge', { sources: ['office:file', 'office:file'], name }),
      await clerk.call('cap_curate', { mode: 'apply', renames: [{ id: 'office:file', name }] }),
    ];
    return JSON.stringify(given).replaceAll(name, 'NAME');
  };
  const taken = await answers('office:taken');
  assert.equal(taken, await answers('office:free'));
  assert.equal(taken.match(/You may not give the name/g)?.length, 2 * 5);
  const copied = await clerk.call('cap_fork', { source: 'office:file', name: 'office:copy' });
  assert.equal(copied.structuredContent.display_name, 'office:copy');
});

test('an agent gets no hidden capability of its user by naming code that does the same', async () => {
  const read = (n: number, key: string) => `return { ${key}: await mcp.fs.read({ n: ${n} }) }`;
  await user.execute({ intent: 'what only the user knows', code: read(47_110_001, 'unnamed') });
  await user.execute({
    name: 'secret:read',
    intent: 'what only the user knows',
    code: read(47_110_002, 'named'),
  });
  const clerk = await connect('clerk');
  for (const [name, key] of [
    ['office:one', 'unnamed'],
    ['office:two', 'named'],
  ] as const) {
    const { structuredContent } = await clerk.execute({ name, intent: 'my own', code: read(1, key) });
    assert.equal(structuredContent.remembered?.name, name);
    const seen = [await clerk.call('cap_whois', { name }), await clerk.call('cap_history', { name })];
    seen.push(await clerk.call('cap_update', { name, code: `return { ${key}: [].length }` }));
    assert.doesNotMatch(JSON.stringify(seen), /4711000|only the user/);
  }
});

test('the variables of a server are out of the reach of files, to read and to write', async () => {
  const gardener = await connect('gardener');
  for (const [tool, args] of [
    ['read_file', { path: 'vault.env' }],
    ['write_file', { path: 'vault.env', content: 'NODE_OPTIONS=--require=/tmp/other.js' }],
    ['move_file', { source: 'vault.env', destination: 'moved.env' }],
    ['read_file', { path: 'notes/../vault.env' }],
  ] as const) {
    const answer = await gardener.call(`files:${tool}`, args);
    assert.match(JSON.stringify(answer), /is outside the folders/, tool);
  }
  const read = await gardener.call('files:read_file', { path: 'diary/day.json' });
  assert.match(JSON.stringify(read), /dear diary/);
});
