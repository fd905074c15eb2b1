import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let peer: Peer;
  const called = async (name: string, args: object = {}) =>
    JSON.parse((await peer.call(name, args)).content[0].text);

  before(async () => {
    peer = await asUser(bed, 'ana');
    const codes: [string, string, object?][] = [
      ['s:read', 'return await mcp.work.read({ path: "a.json" })'],
      ['s:shout', 'return { said: args.path + "!", by: (args.by ?? "nobody") as string }', { path: 'x' }],
      ['s:length', 'return (args.said as string).length', { said: 'x' }],
      ['s:double', 'return 2 * (args.input as number)', { input: 1 }],
      ['s:number', 'return (args.path as number) + 1', { path: 1 }],
      ['s:nothing', 'return 1'],
    ];
    for (const [name, code, args] of codes) await execute(peer, { name, code, ...(args && { args }) });
  });

  test('FR045: a pipeline hands an object on as arguments over the original ones, anything else as input', async () => {
    const made = await ask(peer, 'cap_merge', { sources: ['s:read', 's:shout'], name: 'p:shouted' });
    assert.deepEqual(
      [made.display_name, made.version, made.visibility, made.routing],
      ['p:shouted', 1, 'private', 'local'],
    );
    assert.ok(made.tools_used.includes('s:read') && made.tools_used.includes('work:read'));
    assert.deepEqual(await called('p:shouted'), { said: 'a.json!', by: 'nobody' });
    assert.deepEqual(await called('p:shouted', { path: 'b', by: 'ana' }), { said: 'b!', by: 'ana' });
    await ask(peer, 'cap_merge', { sources: ['s:read', 's:shout', 's:length', 's:double'], name: 'p:long' });
    assert.equal(await called('p:long', { path: '1234' }), 10);
  });

  test('capabilities that call their parameters alike keep them apart', async () => {
    await ask(peer, 'cap_merge', { sources: ['s:double', 's:read'], name: 'p:apart' });
    const { parameters_schema: apart } = await ask(peer, 'cap_lookup', { name: 'p:apart' });
    assert.deepEqual(Object.keys(apart.properties).sort(), ['input', 'path']);
    const three = { sources: ['s:length', 's:read', 's:number'], name: 'p:three' };
    await ask(peer, 'cap_merge', three);
    const { properties } = (await ask(peer, 'cap_lookup', { name: three.name })).parameters_schema;
    assert.deepEqual(Object.keys(properties).sort(), ['path', 'said', 'third_path']);
    assert.equal(properties.path.default, 'a.json');
    assert.equal(properties.third_path.type, 'number');
    assert.deepEqual(await called('p:apart', { input: 2, path: 'z' }), { path: 'z', encoding: 'none' });
  });

  test('a pipeline survives renames and keeps the versions it was made of', async () => {
    await ask(peer, 'cap_merge', { sources: ['s:length@v1', 's:double'], name: 'p:pinned' });
    await ask(peer, 'cap_rename', { name: 's:length', new_name: 't:length' });
    await ask(peer, 'cap_update', { name: 't:length', code: 'return 100' });
    assert.equal(await called('p:pinned', { said: 'four' }), 8);
    const { code } = await ask(peer, 'cap_whois', { name: 'p:pinned' });
    assert.match(code, /mcp\["t:length@v1"\]/);
  });

  test('schemas that cannot fit are refused with the reason', async () => {
    const merge = (sources: string[]) => refusal(peer, 'cap_merge', { sources, name: 'p:never' });
    assert.equal(
      await merge(['s:read', 's:nothing']),
      'schema_mismatch: "s:nothing" takes no arguments, so what "s:read" returns cannot reach it.',
    );
    assert.equal(await merge(['s:read', 'nope']), 'capability_not_found: Capability not found: nope');
    assert.match(await merge(['s:read']), /^invalid_arguments: /);
    assert.match(
      await refusal(peer, 'cap_merge', { sources: ['s:read', 's:shout'], name: 'work:read' }),
      /^name_taken: /,
    );
    assert.match(
      await refusal(peer, 'cap_merge', { sources: ['s:read', 's:shout'], name: 's:read' }),
      /^name_taken: /,
    );
  });

  test('code says how to combine them instead', async () => {
    const code =
      'const [a, b] = await Promise.all([mcp.s.read({ path: args.path }), mcp.s.nothing()]); return { a, b }';
    await ask(peer, 'cap_merge', { sources: ['s:read', 's:nothing'], name: 'p:both', code });
    assert.deepEqual(await called('p:both', { path: 'q' }), { a: { path: 'q', encoding: 'none' }, b: 1 });
    assert.match(
      await refusal(peer, 'cap_merge', { sources: ['s:read', 's:nothing'], name: 'p:x', code: 'return (' }),
      /^syntax_error/,
    );
  });
});
