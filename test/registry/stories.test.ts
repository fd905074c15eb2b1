/** Requirements of the stories that no other file shows, through a real client. docs/requirements.md lists them all. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { startModernHttp } from '../support/servers.ts';
import { answerOf, execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const WORK = 'fixture-work.ts';
const mcpServers = {
  work: fixtureServer(WORK),
  soft: fixtureServer(WORK),
  tagged: fixtureServer(WORK, '1.2.0'),
};
const CAP_TOOLS = [
  'lookup',
  'list',
  'whois',
  'rename',
  'update',
  'history',
  'fork',
  'merge',
  'retire',
  'restore',
  'stats',
];

onEachStore({ mcpServers }, (bed) => {
  let ana: Peer;
  let remote: string;
  const lookup = (name: string, peer = ana) => ask(peer, 'cap_lookup', { name });
  /** A server's record is created when the server has reported its name and version. */
  const server = (name: string) =>
    eventually(async () => {
      const { isError, structuredContent } = await ana.call('cap_lookup', { name: `mcp:${name}` });
      return isError ? undefined : structuredContent;
    }, `mcp:${name} is recorded`) as Promise<Loose>;

  before(async () => {
    remote = `${await startModernHttp({ after })}`;
    writeFileSync(join(bed.pml.dir, 'mcp-permissions.yaml'), 'soft: { routing: cloud }\n');
    bed.pml.configure({ mcpServers: { ...mcpServers, remote: { type: 'http', url: remote } } });
    ana = await asUser(bed, 'ana');
  });

  test('FR048, FR051, 13.7 AC1, AC2: the tools for capabilities are in the list of tools', async () => {
    const names = await ana.toolNames();
    for (const tool of CAP_TOOLS) assert.ok(names.includes(`cap_${tool}`), tool);
    const tools = await ana.list('tools/list', 'tools');
    const rename = tools.find(({ name }) => name === 'cap_rename');
    assert.deepEqual(rename.inputSchema.required, ['name']);
  });

  test("13.7 AC1: PML's own tools are journalled under pml-std, beside the statistics of servers", async () => {
    const before = await ask(ana, 'cap_stats');
    await ask(ana, 'cap_list');
    await refusal(ana, 'cap_lookup', { name: 'no:such_thing' });
    const after = await ask(ana, 'cap_stats');
    assert.deepEqual([after.calls, after.servers, after.tools], [before.calls, before.servers, before.tools]);
    const own = await ask(ana, 'cap_stats', { name: 'pml-std' });
    const of = (name: string) => own.tools.find((tool: Loose) => tool.name === `pml-std:${name}`);
    assert.deepEqual(
      own.servers.map(({ name }: Loose) => name),
      ['pml-std'],
    );
    assert.ok(of('cap_list').calls >= 1 && of('cap_list').success === of('cap_list').calls);
    assert.ok(of('cap_lookup').success < of('cap_lookup').calls);
    assert.equal((await ask(ana, 'cap_stats', { name: 'pml-std', since: '2999-01-01' })).calls, 0);
  });

  test('FR049, FR052, 13.7 AC4: each is called by its prefix, with a colon or as it is listed', async () => {
    await execute(ana, { name: 'std:one', code: 'return "one"' });
    for (const tool of ['lookup', 'whois', 'history', 'stats']) {
      const input = { name: 'std:one' };
      assert.deepEqual(await ask(ana, `cap:${tool}`, input), await ask(ana, `cap_${tool}`, input), tool);
    }
    assert.equal((await ask(ana, 'cap:list', { pattern: 'std:*' })).total, 1);
    assert.equal((await ask(ana, 'cap:rename', { name: 'std:one', tags: ['x'] })).tags[0], 'x');
  });

  test('FR050: what was dropped is not there', async () => {
    const names = await ana.toolNames();
    for (const name of names) assert.doesNotMatch(name, /^(meta|dns|learn)[_:]/);
    assert.ok(!names.includes('cap_query') && !names.includes('cap_tag'));
  });

  test('13.7 AC3: a list takes a pattern, unnamedOnly, limit and offset', async () => {
    await execute(ana, { name: 'std:two', code: 'return "two"' });
    const page = await ask(ana, 'cap:list', { pattern: 'std:*', limit: 1, offset: 1, sortBy: 'name' });
    assert.deepEqual([page.total, page.capabilities[0].name], [2, 'std:two']);
    assert.equal((await ask(ana, 'cap:list', { pattern: 'std:*', unnamedOnly: true })).total, 0);
  });

  test('13.7 AC5: a rename changes what is given, and nothing else', async () => {
    const { capabilityFqdn: name } = await execute(ana, {
      name: 'part:a',
      code: 'return "part"',
      intent: 'says part',
    });
    const state = async () => {
      const { display_name, description, tags, visibility } = await ask(ana, 'cap_whois', { name });
      return [display_name, description, tags, visibility];
    };
    await ask(ana, 'cap:rename', { name });
    assert.deepEqual(await state(), ['part:a', 'says part', [], 'private']);
    await ask(ana, 'cap:rename', { name, newName: 'part:b' });
    assert.deepEqual(await state(), ['part:b', 'says part', [], 'private']);
    await ask(ana, 'cap:rename', { name, description: 'another' });
    await ask(ana, 'cap:rename', { name, tags: ['a', 'b'] });
    await ask(ana, 'cap:rename', { name, visibility: 'org' });
    assert.deepEqual(await state(), ['part:b', 'another', ['a', 'b'], 'org']);
  });

  test('FR040: private, project, org and public show a capability to whom they say', async () => {
    const peers = {
      ben: await asUser(bed, 'ben'),
      cyd: await asUser(bed, 'cyd', { PML_PROJECT: 'other' }),
      dan: await asUser(bed, 'dan', { PML_ORG: 'far' }),
    };
    const sees = { private: [], project: ['ben'], org: ['ben', 'cyd'], public: ['ben', 'cyd', 'dan'] };
    const { capabilityFqdn: name } = await execute(ana, { name: 'seen:one', code: 'return "seen"' });
    for (const [visibility, seers] of Object.entries(sees)) {
      await ask(ana, 'cap_rename', { name, visibility });
      for (const [user, peer] of Object.entries(peers)) {
        const { isError = false } = await peer.call('cap_lookup', { name });
        assert.equal(isError, !(seers as string[]).includes(user), `${user} and ${visibility}`);
        const { total } = await ask(peer, 'cap_list', { pattern: 'seen:*' });
        assert.equal(total, isError ? 0 : 1);
      }
    }
  });

  test('FR044, FR046, FR047: what is public is found, run and copied by everyone, and the copy says whose it was', async () => {
    const { capabilityFqdn } = await execute(ana, { name: 'shop:sum', code: 'return 1 + 1' });
    const dan = await asUser(bed, 'dan', { PML_ORG: 'far' });
    assert.match(
      await refusal(dan, 'cap_fork', { source: capabilityFqdn, name: 'x' }),
      /^capability_not_found/,
    );
    await ask(ana, 'cap_rename', { name: 'shop:sum', visibility: 'public', tags: ['math'] });
    const { capabilities } = await ask(dan, 'cap_list', { tags: ['math'] });
    assert.equal(capabilities[0].name, 'local.default:shop:sum');
    assert.equal((await dan.call('shop:sum')).content[0].text, '2');
    const copy = await ask(dan, 'cap:fork', { source: 'shop:sum', name: 'mine:sum' });
    assert.deepEqual(
      [copy.forked_from, copy.created_by, copy.org, copy.visibility, copy.version],
      [capabilityFqdn, 'dan', 'far', 'private', 1],
    );
    await ask(dan, 'cap_update', { name: 'mine:sum', code: 'return 3' });
    assert.equal((await dan.call('mine:sum')).content[0].text, '3');
    assert.equal((await ana.call('shop:sum')).content[0].text, '2');
  });

  test('13.5 AC5: of thirty, limit 10 and offset 20 are the last ten', async () => {
    for (let n = 0; n < 30; n++)
      await execute(ana, { name: `page:n${String(n).padStart(2, '0')}`, code: `return "page ${n}"` });
    const input = { pattern: 'page:*', sort_by: 'name', limit: 10, offset: 20 };
    const { capabilities, total } = await ask(ana, 'cap_list', input);
    const names = capabilities.map(({ name }: Loose) => name);
    assert.deepEqual([total, names.length, names[0], names[9]], [30, 10, 'page:n20', 'page:n29']);
  });

  test('13.5 AC11: what is suggested for an intent has a name that can be called', async () => {
    await execute(ana, { name: 'json:reader', code: 'return "read"', intent: 'read json files' });
    const { suggestions } = await answerOf(ana, { intent: 'read json files' });
    const [first] = suggestions.filter(({ kind }: Loose) => kind === 'capability');
    assert.equal(first.name, 'json:reader');
    assert.equal((await ana.call(first.name)).content[0].text, 'read');
  });

  test('FR053, 13.8 AC1, AC2: servers are records of their own type, mcp:{name}', async () => {
    const { type, fqdn, display_name } = await server('work');
    assert.deepEqual([type, display_name], ['mcp-server', 'mcp:work']);
    assert.match(fqdn, /^local\.default\.mcp\.work\.[0-9a-f]{4,}$/);
    assert.equal((await lookup('std:one')).type, 'capability');
    assert.equal((await ask(ana, 'cap_list', { pattern: 'mcp:*' })).total, 0);
    assert.ok((await ask(ana, 'cap_list', { type: 'mcp-server' })).total >= 4);
  });

  test('FR054, 13.8 AC3, AC4: a lookup tells where the code of a server is, its version and who sees it', async () => {
    const { type, code_url, version, visibility } = await server('remote');
    const { origin, pathname } = new URL(remote);
    assert.deepEqual(
      [type, code_url, version, visibility],
      ['mcp-server', `${origin}${pathname}`, 1, 'project'],
    );
  });

  test('FR055, 13.8 AC5: a server has versions, as it says them', async () => {
    assert.equal((await server('tagged')).version_tag, '1.2.0');
    const newer = { mcpServers: { tagged: fixtureServer(WORK, '1.3.0') } };
    const cwd = bed.pml.project('newer', newer);
    await bed.peer('SDK v2 legacy', 'stdio', { cwd, env: { PML_USER: 'ana' } });
    await eventually(
      async () => (await server('tagged')).version_tag === '1.3.0',
      'the newer one is recorded',
    );
    const [old, now] = [await lookup('mcp:tagged@v1.2.0'), await lookup('mcp:tagged@v1.3.0')];
    assert.deepEqual([old.version, now.version], [1, 2]);
    assert.equal(
      await refusal(ana, 'cap_lookup', { name: 'mcp:tagged@v9.0.0' }),
      'version_not_found: Version v9.0.0 not found for mcp:tagged',
    );
  });

  test('FR056, 13.8 AC6: a server of another scope is not found, one that is public is', async () => {
    const dan = await asUser(bed, 'dan', { PML_ORG: 'far' });
    const { fqdn } = await server('work');
    assert.equal(
      await refusal(dan, 'cap_lookup', { name: fqdn }),
      `capability_not_found: Capability not found: ${fqdn}`,
    );
    assert.equal((await lookup('mcp:filesystem', dan)).visibility, 'public');
  });

  test('13.8 AC7: three servers are there from the start', async () => {
    for (const name of ['filesystem', 'shell', 'sqlite'])
      assert.match((await lookup(`mcp:${name}`)).code_url, /^https:\/\//);
  });

  test('13.8 AC8, 13.9 AC4: the routing of a server is local or cloud, as mcp-permissions.yaml says', async () => {
    const routing = async (name: string) => (await server(name)).routing;
    assert.deepEqual(
      [await routing('work'), await routing('soft'), await routing('remote'), await routing('filesystem')],
      ['local', 'cloud', 'cloud', 'local'],
    );
  });

  test('FR057, FR058, 13.9 AC1, AC2, AC3: local if anything it uses is local, cloud if all of it is', async () => {
    await execute(ana, {
      name: 'route:cloud',
      code: 'return [await mcp.soft.kept(), await mcp.soft.read({ path: "x" })]',
    });
    await execute(ana, {
      name: 'route:mixed',
      code: 'return [await mcp.soft.kept(), await mcp.work.kept()]',
    });
    const told = await Promise.all(
      ['route:cloud', 'route:mixed'].map((name) => ask(ana, 'cap_whois', { name })),
    );
    assert.deepEqual(
      told.map(({ routing, tools_used }) => [routing, tools_used.toSorted()]),
      [
        ['cloud', ['soft:kept', 'soft:read']],
        ['local', ['soft:kept', 'work:kept']],
      ],
    );
  });

  test('FR041, 13.6 AC1: capability_versions has its columns', async () => {
    const columns = await bed.rows(
      `select column_name as name from information_schema.columns where table_name in ('capability_versions', 'workflow_pattern')`,
    );
    const names = columns.map(({ name }) => name);
    // The pattern holds the code and the schema of a version.
    for (const column of [
      ...[
        'id',
        'capability_fqdn',
        'version',
        'version_tag',
        'pattern_id',
        'code_snippet',
        'parameters_schema',
      ],
      ...['updated_by', 'updated_at', 'change_summary'],
    ])
      assert.ok(names.includes(column), column);
  });

  test('13.6 AC10: the database refuses to change or drop what was kept', async () => {
    for (const sql of [
      `update capability_versions set change_summary = 'x'`,
      'delete from capability_versions',
      'truncate capability_versions',
      `update workflow_pattern set code_snippet = 'x'`,
    ])
      await assert.rejects(bed.rows(sql), /append-only/, sql);
  });
});
