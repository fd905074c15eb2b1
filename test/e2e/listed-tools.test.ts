import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { encode } from 'gpt-tokenizer';
import { eventually } from '../../src/testing/wait.ts';
import { estimateTokens } from '../../src/token-estimate.ts';
import { connectPeer, EACH_CLIENT, type Loose, type Peer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, npmServer, Pml } from '../support/pml.ts';
import { answerOf, execute } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const office = (count: number) => fixtureServer('fixture-office.ts', '--count', String(count));

const pml = new Pml(
  { after },
  {
    mcpServers: {
      fs: npmServer('filesystem', '.'),
      memory: npmServer('memory'),
      // Each session starts its own, and is told of it from memory.
      hints: { ...fixtureServer('fixture-hints.ts'), pml: { perSession: true } },
      gone: { command: '/no/such/program' },
    },
  },
);
let url: string;
/** One client of each kind on each transport. */
const peers: Peer[] = [];

/** A session in a project folder of its own, all of whose servers are connected. */
async function inProject(name: string, config: object): Promise<Peer> {
  const cwd = pml.project(name, config);
  const peer = await connectPeer(pml, 'SDK v2 legacy', 'stdio', '', { cwd });
  const isReady = async () => {
    const { workspaces } = await statusOf(pml);
    const own = workspaces.find(({ config: file }) => file === join(cwd, 'pml.json'));
    return own?.servers.every(({ state }) => state === 'ready') ?? false;
  };
  await eventually(isReady, `the servers of ${name} are connected`);
  return peer;
}

const namesOf = (tools: Loose[]) => tools.map(({ name }) => name);

before(async () => {
  await onUsualEngine(pml);
  writeFileSync(join(pml.dir, 'package.json'), '{ "version": "1.2.3" }');
  ({ url } = await pml.up());
});

describe('instructions', () => {
  test('tell each client what PML is, its servers, and what is down and why', async () => {
    const first = await connectPeer(pml, 'SDK v1', 'stdio', url);
    // The list waits for servers that were never seen; later clients are told of them.
    await first.toolNames();
    await eventually(async () => {
      const servers = (await statusOf(pml)).workspaces[0]?.servers ?? [];
      return servers.length > 0 && servers.every(({ state, problem }) => state === 'ready' || problem);
    }, 'each server is ready or failed');
    for (const { kind, transport } of EACH_CLIENT) {
      const peer = await connectPeer(pml, kind, transport, url);
      peers.push(peer);
      const said = peer.instructions() ?? '';
      assert.match(said, /^PML is one gateway/, kind);
      assert.match(said, /tools: fs 14, memory 9, hints 6\.\n/, `${kind} over ${transport}`);
      assert.match(said, /\nDown: gone \(.*\/no\/such\/program.*\)\.\n/);
      assert.ok(said.length <= 2000);
    }
  });

  test('name the capabilities that the principal may see, fresh at each connection', async () => {
    const as = (user: string) => connectPeer(pml, 'SDK v2 modern', 'stdio', url, { env: { PML_USER: user } });
    const ana = await as('ana');
    const run = {
      intent: 'look around',
      code: 'return await mcp.hints.look({ at: args.at })',
      args: { at: 1 },
    };
    await execute(ana, { ...run, name: 'our:look' });
    await execute(ana, { ...run, code: 'return await mcp.hints.add({ n: args.at })', name: 'my:add' });
    await ask(ana, 'cap_rename', { name: 'our:look', visibility: 'project' });
    await ask(ana, 'cap_rename', { name: 'my:add', visibility: 'private' });
    // Reading statistics stores the calls that the journal still holds: the order is that of the last use.
    await ask(ana, 'cap_stats', {});
    assert.doesNotMatch(ana.instructions() ?? '', /our:look/);
    assert.match((await as('ana')).instructions() ?? '', /\nMost used capabilities: my:add, our:look\.\n/);
    assert.match((await as('ben')).instructions() ?? '', /\nMost used capabilities: our:look\.\n/);
  });
});

describe('the list of tools', () => {
  test('begins with the two tools that are always loaded, for each client', async () => {
    for (const peer of peers) {
      const tools = await peer.list('tools/list', 'tools');
      assert.deepEqual(namesOf(tools.slice(0, 2)), ['pml_execute', 'pml_discover']);
      const always = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
      assert.deepEqual(always, tools.slice(0, 2));
    }
  });

  test('has an example that works as it stands', async () => {
    const [peer] = peers as [Peer];
    const [{ description }] = await peer.list('tools/list', 'tools');
    const [, name, code] = /name: '(.*?)', code: (.*)$/m.exec(description) ?? [];
    assert.equal((await execute(peer, { name, code })).result, '1.2.3');
    assert.equal((await execute(peer, { capability: 'pkg:version' })).result, '1.2.3');
  });

  test('takes about as many tokens as PML estimates', async () => {
    const [peer] = peers as [Peer];
    const tools = await peer.list('tools/list', 'tools');
    for (const server of ['fs', 'memory']) {
      const own = tools
        .filter(({ name }) => name.startsWith(`mcp__${server}__`))
        .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
      const counted = own.reduce((sum, text) => sum + encode(text).length, 0);
      const estimated = own.reduce((sum, text) => sum + estimateTokens(text), 0);
      assert.ok(Math.abs(estimated / counted - 1) < 0.2, `${server}: ${estimated}, not ${counted}`);
    }
  });

  test('describes a capability by what it does, reads, writes and returns, and does not change with calls', async () => {
    const peer = peers.at(-1) as Peer;
    const code =
      'await mcp.hints.look({ at: args.at }); await mcp.hints.add({ n: 1 }); await mcp.hints.silent({}); return "done"';
    await execute(peer, { intent: 'look, then add one', code, args: { at: 2 }, name: 'both:ways' });
    const listing = async () => {
      const tools = await peer.list('tools/list', 'tools');
      return tools.find(({ name }) => name === 'mcp__both__ways');
    };
    const first = await listing();
    assert.equal(
      first.description,
      'look, then add one\nReads with hints:look. Writes with hints:add. Calls hints:silent.',
    );
    assert.equal(first.annotations.readOnlyHint, false);
    assert.match(first.inputSchema.properties.at.description, /at of hints:look/);
    for (const at of [3, 4, 5]) await peer.call('both:ways', { at });
    assert.deepEqual(await listing(), first);
  });
});

describe('names: { listed: "short" }', () => {
  let peer: Peer;
  before(async () => {
    const mcpServers = {
      desk: office(0),
      plain: { ...office(0), pml: { prefix: false, tools: ['translate'] } },
    };
    peer = await inProject('short', { mcpServers, names: { listed: 'short' }, scope: { project: 'short' } });
    const code = 'return await mcp.desk.translate({ text: args.text, language: "de" })';
    await execute(peer, { intent: 'say it in German', code, args: { text: 'a' }, name: 'say:german' });
  });

  test('lists tools, prompts and capabilities without mcp__', async () => {
    const names = await peer.toolNames();
    assert.ok(
      names.includes('desk__send_email') && names.includes('translate') && names.includes('say__german'),
    );
    assert.deepEqual(
      names.filter((name) => name.startsWith('mcp__')),
      [],
    );
  });

  test('calls work in every spelling', async () => {
    for (const name of ['desk__translate', 'mcp__desk__translate', 'desk:translate', 'desk.translate']) {
      assert.match(JSON.stringify(await peer.call(name, { text: 'x', language: 'de' })), /translate/, name);
    }
    for (const name of ['say__german', 'mcp__say__german', 'say:german', 'say__german@1']) {
      assert.match(JSON.stringify(await peer.call(name, { text: 'x' })), /translate/, name);
      if (name !== 'say__german@1') await execute(peer, { capability: name, args: { text: 'y' } });
    }
  });

  test('discovery and suggestions tell the listed names', async () => {
    const { results } = await ask(peer, 'pml_discover', { intent: 'translate a text into another language' });
    assert.ok(namesOf(results).includes('desk__translate'));
    const { clear_match, suggestions } = await answerOf(peer, { intent: 'say it in German' });
    assert.equal(suggestions[0].tool, 'say__german');
    assert.equal((clear_match ?? suggestions[0]).call.name, 'say__german');
  });

  test('a capability whose own name looks like a short one does not take its place', async () => {
    await execute(peer, {
      intent: 'pretend',
      code: 'return ["pretended", args.text]',
      args: { text: 'a' },
      name: 'say__german',
    });
    assert.match(JSON.stringify(await peer.call('say__german', { text: 'x' })), /translate/);
    const tools = await peer.list('tools/list', 'tools');
    const { name } = tools.find(({ title }) => title === 'say__german');
    assert.match(name, /__say__german$/);
    assert.match(JSON.stringify(await peer.call(name, { text: 'x' })), /pretended/);
    const { result } = await execute(peer, { capability: 'say__german', args: { text: 'y' } });
    assert.deepEqual(result, ['pretended', 'y']);
  });
});

describe('expose: "auto"', () => {
  const config = (exposeBudget: number) => ({
    ...{ expose: 'auto', exposeBudget, scope: { project: 'auto' } },
    mcpServers: { large: office(40), small: office(0), shift: fixtureServer('fixture-shift.ts') },
  });
  const serversIn = (names: string[]) =>
    [...new Set(names.flatMap((name) => /^mcp__(large|small|shift)__/.exec(name)?.[1] ?? []))].sort();

  test('lists everything up to the budget', async () => {
    const peer = await inProject('enough', config(20_000));
    assert.deepEqual(serversIn(await peer.toolNames()), ['large', 'shift', 'small']);
  });

  test('above it leaves the largest server to discovery, for every connection, whatever is learned', async () => {
    const peer = await inProject('scarce', config(4000));
    const names = await peer.toolNames();
    assert.deepEqual(serversIn(names), ['shift', 'small']);
    const again = await connectPeer(pml, 'SDK v1', 'stdio', '', { cwd: join(pml.dir, 'scarce') });
    assert.deepEqual(await again.toolNames(), names);
    const { workspaces } = await statusOf(pml);
    const own = workspaces.find(({ config: file }) => file?.endsWith('/scarce/pml.json'));
    assert.deepEqual(
      own?.servers.map(({ unlisted }) => unlisted),
      [true, undefined, undefined],
    );
    assert.match(again.instructions() ?? '', /large 48\*, small 8, shift 3\.\n.*marked \* are not listed/);
    const code = 'return await mcp.large.archive_report_0({ resource_id: args.id, retention: "year" })';
    for (const id of ['a', 'b'])
      await execute(peer, { intent: 'archive it', code, args: { id }, name: 'keep:it' });
    assert.deepEqual(await again.toolNames(), [...names, 'mcp__keep__it']);
  });

  test('what is not listed is found, and suggested as a call that works', async () => {
    const peer = await inProject('scarce', config(4000));
    const asked = { intent: 'archive a report of department 0', server: 'large' };
    const { results, message } = await ask(peer, 'pml_discover', asked);
    assert.match(results[0].signature, /^mcp\.large\.archive_report_0\(/);
    assert.match(message, /Call through pml_execute: tools in code/);
    const { suggestions } = await answerOf(peer, { intent: 'archive a calendar of department 2' });
    const { call } = suggestions.find(({ name }: Loose) => name === 'mcp__large__archive_calendar_2');
    assert.equal(call.name, 'pml_execute');
  });

  test('is decided anew when a server changes, and clients hear of it', async () => {
    const peer = await inProject('scarce', config(4000));
    const wide = {
      type: 'object',
      properties: { text: { type: 'string', description: 'word '.repeat(3000) } },
    };
    await peer.call('shift:shift', { tools: { wide } });
    const hasChanged = async () => serversIn(await peer.toolNames()).join() === 'small';
    for (let count = 1; !(await hasChanged()); count++)
      await peer.notifications.until('notifications/tools/list_changed', count);
    await peer.call('shift:shift', { tools: {} });
    await peer.untilListed('mcp__shift__shift');
    assert.deepEqual(serversIn(await peer.toolNames()), ['shift', 'small']);
  });
});
