import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let peer: Peer;
  const names = async (filter: object) =>
    (await ask(peer, 'cap_list', filter)).capabilities.map((one: Loose) => one.name);

  before(async () => {
    peer = await asUser(bed, 'ana');
    for (const name of ['fs:a', 'fs:b', 'db:c', 'word', 'api:e'])
      await execute(peer, { name, code: `return "${name}"` });
    for (let n = 0; n < 5; n++)
      await execute(peer, { code: `return await mcp.work.query({ sql: "select ${n} from t" })` });
    await ask(peer, 'cap_rename', { name: 'fs:a', tags: ['json', 'config'], visibility: 'org' });
    for (let n = 0; n < 3; n++) await peer.call('db:c');
    await answerOf(peer, { code: 'return await mcp.work.refuse({ why: "no" })' });
  });

  test('FR014, 13.5 AC1: all ten, with what the contract names of each', async () => {
    const { capabilities, total } = await ask(peer, 'cap:list');
    assert.equal(total, 10);
    assert.equal(capabilities.length, 10);
    const [first] = capabilities;
    assert.deepEqual([first.name, first.usage_count, first.success_rate], ['db:c', 4, 1]);
    assert.deepEqual(Object.keys(first).sort(), [
      ...['description', 'id', 'name', 'parameters', 'routing', 'success_rate'],
      ...['tags', 'usage_count', 'version', 'visibility'],
    ]);
  });

  test('FR015, 13.5 AC2, AC3: named ones only, unnamed ones only, by pattern, by namespace', async () => {
    const sorted = { sortBy: 'name' };
    assert.deepEqual(await names({ ...sorted, named_only: true }), ['api:e', 'db:c', 'fs:a', 'fs:b', 'word']);
    assert.equal((await names({ unnamedOnly: true })).length, 5);
    assert.deepEqual(await names({ ...sorted, pattern: 'fs:*' }), ['fs:a', 'fs:b']);
    assert.deepEqual(await names({ ...sorted, namespace: 'api' }), ['api:e']);
    assert.match(await refusal(peer, 'cap_list', { pattern: 'a\0' }), /^invalid_arguments: /);
  });

  test('FR018: by the tag of the newest version, with or without its "v"', async () => {
    const sorted = { sort_by: 'name' };
    for (const [name, version_tag] of [
      ['tag:a', 'v1.2.0'],
      ['tag:b', '1.10.3'],
      ['tag:c', 'v2.0.0'],
    ]) {
      await execute(peer, { name, code: `return "${name} of " + args.x`, args: { x: 1 } });
      await ask(peer, 'cap_update', {
        name,
        version_tag,
        code: `return "${name} for " + args.x`,
        args: { x: 1 },
      });
    }
    assert.deepEqual(await names({ ...sorted, version_tag: 'v1.*' }), ['tag:a', 'tag:b']);
    assert.deepEqual(await names({ ...sorted, versionTag: '1.1?.*' }), ['tag:b']);
    assert.deepEqual(await names({ ...sorted, version_tag: '*' }), ['tag:a', 'tag:b', 'tag:c']);
    assert.deepEqual(await names({ ...sorted, version_tag: '%' }), []);
    const { stdout } = await bed.pml.run(['list', '--tag', '2.*', '--json'], { env: { PML_USER: 'ana' } });
    assert.equal(JSON.parse(stdout).capabilities[0].name, 'tag:c');
    for (const name of ['tag:a', 'tag:b', 'tag:c']) await ask(peer, 'cap_retire', { name });
  });

  test('FR016, 13.5 AC4: sorted by use, by name, by when they were made', async () => {
    const named = { named_only: true };
    assert.equal((await names(named))[0], 'db:c');
    assert.deepEqual(await names({ ...named, sort_by: 'name' }), ['api:e', 'db:c', 'fs:a', 'fs:b', 'word']);
    assert.deepEqual(await names({ ...named, sort_by: 'created' }), [
      'api:e',
      'word',
      'db:c',
      'fs:b',
      'fs:a',
    ]);
    assert.match(await refusal(peer, 'cap_list', { sort_by: 'id; drop table x' }), /^invalid_arguments: /);
  });

  test('13.5 AC5: pages', async () => {
    const sorted = { sort_by: 'name', named_only: true };
    assert.deepEqual(await names({ ...sorted, limit: 2, offset: 1 }), ['db:c', 'fs:a']);
    assert.deepEqual(await names({ ...sorted, limit: 2, offset: 5 }), []);
    const { total, capabilities } = await ask(peer, 'cap_list', { limit: 3, offset: 8 });
    assert.deepEqual([total, capabilities.length], [10, 2]);
    assert.match(await refusal(peer, 'cap_list', { limit: 0 }), /^invalid_arguments: /);
  });

  test('FR018, 13.5 AC7, AC8, AC9: by creator, by all of some tags, by visibility', async () => {
    const sorted = { sort_by: 'name' };
    assert.equal((await names({ created_by: 'an?' })).length, 10);
    assert.deepEqual(await names({ createdBy: 'zed' }), []);
    assert.deepEqual(await names({ ...sorted, tags: ['config', 'json'] }), ['fs:a']);
    assert.deepEqual(await names({ ...sorted, tags: ['config', 'yaml'] }), []);
    assert.deepEqual(await names({ ...sorted, visibility: 'org' }), ['fs:a']);
  });

  test('FR017, 13.5 AC6, 13.9 AC7: a lookup has the contract’s fields and nothing else', async () => {
    const found = await ask(peer, 'cap_lookup', { name: 'fs:a' });
    assert.deepEqual(Object.keys(found).sort(), [
      ...['description', 'display_name', 'fqdn', 'parameters_schema', 'routing', 'success_rate', 'type'],
      ...['usage_count', 'version', 'version_tag', 'visibility'],
    ]);
    assert.deepEqual(
      [found.type, found.display_name, found.version, found.version_tag, found.routing],
      ['capability', 'fs:a', 1, null, 'cloud'],
    );
    assert.match(found.fqdn, /^local\.default\.fs\.a\.[0-9a-f]{4}$/);
    assert.equal(
      await refusal(peer, 'cap_lookup', { name: 'nope' }),
      'capability_not_found: Capability not found: nope',
    );
  });

  test('FR020, FR036, FR037, FR039, 13.5 AC10: whois has the whole record, by name and by FQDN', async () => {
    const { fqdn } = await ask(peer, 'cap_lookup', { name: 'fs:a' });
    const record = await ask(peer, 'cap:whois', { name: fqdn });
    assert.equal(record.created_by, 'ana');
    assert.ok(Date.parse(record.created_at) <= Date.parse(record.updated_at));
    assert.deepEqual(record.tags, ['json', 'config']);
    assert.equal(record.code, 'return "fs:a"');
    for (const key of [
      'verified',
      'signature',
      'forked_from',
      'aliases',
      'tools_used',
      'visibility',
      'version_tag',
    ])
      assert.ok(key in record, key);
    assert.deepEqual([record.ttl, record.cache_policy, record.parent_id], [null, 'none', null]);
  });

  test('13.5 AC10: whois says what a fork was forked from, to those who may see it', async () => {
    const ben = await asUser(bed, 'ben');
    const { id, fqdn } = await ask(peer, 'cap_whois', { name: 'fs:a' });
    const fork = await ask(ben, 'cap_fork', { source: 'fs:a', name: 'copy:a' });
    assert.deepEqual([fork.parent_id, fork.forked_from], [id, fqdn]);
    await ask(peer, 'cap_rename', { name: 'fs:a', visibility: 'private' });
    const seen = await ask(ben, 'cap_whois', { name: 'copy:a' });
    assert.deepEqual([seen.parent_id, seen.forked_from], [null, null]);
    await ask(peer, 'cap_rename', { name: 'fs:a', visibility: 'org' });
  });

  test('FR057, FR058, FR059, 13.9 AC1, AC2, AC5, AC6: routing follows the tools that are used, unless it is chosen', async () => {
    await execute(peer, { name: 'uses:local', code: 'return await mcp.work.kept()' });
    await execute(peer, { name: 'uses:nested', code: 'return await mcp.uses.local()' });
    const routing = async (name: string) => (await ask(peer, 'cap_lookup', { name })).routing;
    assert.deepEqual(
      [await routing('uses:local'), await routing('uses:nested'), await routing('word')],
      ['local', 'local', 'cloud'],
    );
    assert.ok((await ask(peer, 'cap_whois', { name: 'uses:nested' })).tools_used.includes('work:kept'));
    assert.equal((await ask(peer, 'cap_rename', { name: 'uses:local', routing: 'cloud' })).routing, 'cloud');
    await ask(peer, 'cap_update', { name: 'uses:local', code: 'return [await mcp.work.kept()]' });
    assert.equal(await routing('uses:local'), 'cloud');
    await ask(peer, 'cap_update', { name: 'word', code: 'return await mcp.work.kept()' });
    assert.equal(await routing('word'), 'local');
  });

  test('FR053, FR054, 13.8 AC1, AC2, AC7: configured servers, and three more, are looked up as records', async () => {
    const found = await eventually(
      async () => (await peer.call('cap_lookup', { name: 'mcp:work' })).structuredContent.fqdn,
      'the server is recorded',
    );
    assert.match(found, /^local\.default\.mcp\.work\.[0-9a-f]{8}$/);
    const { type, routing, visibility } = await ask(peer, 'cap_lookup', { name: found });
    assert.deepEqual([type, routing, visibility], ['mcp-server', 'local', 'project']);
    assert.match(
      (await ask(peer, 'cap_lookup', { name: 'mcp:filesystem@v1' })).code_url,
      /server-filesystem$/,
    );
    assert.deepEqual(await names({ type: 'mcp-server', sort_by: 'name' }), [
      'mcp:filesystem',
      'mcp:shell',
      'mcp:sqlite',
      'mcp:work',
    ]);
    assert.equal(
      await refusal(peer, 'cap_lookup', { name: 'mcp:nope' }),
      'capability_not_found: Capability not found: mcp:nope',
    );
  });

  test('cap_stats counts calls, success and time by tool, capability and server', async () => {
    const stats = await ask(peer, 'cap_stats', { since: '1h' });
    assert.equal(stats.unnamed, 5);
    const of = (list: Loose[], name: string) => list.find((one) => one.name === name);
    assert.deepEqual(
      [of(stats.tools, 'work:query').calls, of(stats.tools, 'work:query').success_rate],
      [5, 1],
    );
    assert.deepEqual([of(stats.tools, 'work:refuse').calls, of(stats.tools, 'work:refuse').success], [1, 0]);
    assert.equal(of(stats.capabilities, 'db:c').calls, 4);
    assert.ok(of(stats.servers, 'pml-capabilities').calls >= 13);
    assert.ok(stats.p50_ms > 0 && stats.p95_ms >= stats.p50_ms);
    const only = await ask(peer, 'cap_stats', { name: 'db:c' });
    assert.deepEqual([only.calls, only.tools, only.capabilities.length], [4, [], 1]);
    assert.equal((await ask(peer, 'cap_stats', { name: 'work:query' })).calls, 5);
    assert.equal((await ask(peer, 'cap_stats', { since: '2999-01-01' })).calls, 0);
    assert.match(await refusal(peer, 'cap_stats', { since: 'yesterday' }), /^invalid_arguments: /);
    assert.match(await refusal(peer, 'cap_stats', { name: 'nope' }), /^capability_not_found: /);
    const other = await asUser(bed, 'ben');
    const seen = await ask(other, 'cap_stats');
    assert.deepEqual([seen.unnamed, seen.capabilities.map((one: Loose) => one.name)], [0, ['fs:a']]);
  });
});
