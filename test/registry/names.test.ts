import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { CHANGED, execute, failing, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let peer: Peer;
  let ben: Peer;

  before(async () => {
    [peer, ben] = await Promise.all([asUser(bed, 'ana'), asUser(bed, 'ben')]);
    await execute(peer, {
      name: 'sum',
      code: 'return (args.a as number) + (args.b as number)',
      args: { a: 1, b: 2 },
    });
  });

  test('FR031, FR032: a renamed capability answers to its old name, as a tool, by capability and in code', async () => {
    const renamed = await ask(peer, 'cap:rename', {
      name: 'sum',
      newName: 'math:add',
      description: 'Adds two numbers',
    });
    assert.deepEqual([renamed.display_name, renamed.aliases], ['math:add', ['sum']]);
    const args = { a: 2, b: 3 };
    for (const name of ['sum', 'math:add', 'mcp__math__add', 'cap:math:add', renamed.fqdn]) {
      const { content } = await peer.call(name, args);
      assert.equal(content[0].text, '5', name);
    }
    const { result, warnings } = await execute(peer, { capability: 'sum', args });
    assert.equal(result, 5);
    assert.deepEqual(warnings, ['"sum" is a former name of "math:add".']);
    assert.equal((await execute(peer, { code: 'return await mcp["sum"]({ a: 4, b: 4 })' })).result, 8);
  });

  test('FR033: the use of a former name is written to the log, and told by a lookup', async () => {
    assert.equal((await ask(peer, 'cap_lookup', { name: 'sum' })).deprecated_alias, 'sum');
    assert.equal('deprecated_alias' in (await ask(peer, 'cap_lookup', { name: 'math:add' })), false);
    await bed.pml.logged(
      /\[WARN\] Deprecated: Using alias "sum" for capability "math:add"\. Update your code\./,
    );
  });

  test('FR025, FR026, FR027: clients hear of a rename and list the new name', async () => {
    peer.notifications.clear();
    await ask(peer, 'cap_rename', { name: 'math:add', new_name: 'math:plus' });
    await peer.notifications.until(CHANGED);
    const names = await peer.toolNames();
    assert.ok(names.includes('mcp__math__plus') && !names.includes('mcp__math__add'));
  });

  test('a rename back, and the error for each name that is refused', async () => {
    assert.equal((await ask(peer, 'cap_rename', { name: 'math:plus', new_name: 'sum' })).display_name, 'sum');
    await execute(peer, { name: 'other', code: 'return "other"' });
    const to = (new_name: string) => refusal(peer, 'cap_rename', { name: 'other', new_name });
    for (const taken of ['sum', 'math:add', 'math:plus'])
      assert.equal(
        await to(taken),
        `name_taken: Capability name '${taken}' already exists in scope local.default`,
      );
    assert.equal(
      await to('a b'),
      'invalid_name: Invalid capability name: "a b". Must be alphanumeric with underscores, hyphens, and colons only.',
    );
    assert.equal(await to('work:read'), 'name_taken: "work:read" is the name of a tool of server "work".');
    for (const own of ['cap_lookup', 'cap:lookup', 'pml_execute', 'mcp:filesystem'])
      assert.match(await to(own), /^name_taken: .* is reserved/);
    assert.equal(
      await refusal(peer, 'cap_rename', { name: 'nope' }),
      'capability_not_found: Capability not found: nope',
    );
    assert.match(
      await refusal(peer, 'cap_rename', { name: 'sum@v1', description: 'x' }),
      /^bad_request: A version cannot/,
    );
  });

  test('a retired capability is said to be retired wherever it is called, to those who may see it', async () => {
    await execute(peer, { name: 'gone:way', code: 'return "gone"' });
    await ask(peer, 'cap_retire', { name: 'gone:way' });
    const retired = /"gone:way" is retired\. cap_restore brings it back\./;
    const ways: [tool: string, input: object][] = [
      ['pml_execute', { intent: 'go', capability: 'gone:way' }],
      ['pml_execute', { intent: 'go', code: 'return await mcp.gone.way()' }],
      ['pml_execute', { intent: 'go', code: 'return await mcp.call(args.name)', args: { name: 'gone:way' } }],
      ['cap_whois', { name: 'gone:way@v1' }],
      ['mcp__gone__way', {}],
    ];
    for (const [tool, input] of ways) {
      const [mine, others] = await Promise.all([peer.call(tool, input), ben.call(tool, input)]);
      assert.match(JSON.stringify(mine.structuredContent).replaceAll('\\"', '"'), retired, tool);
      assert.doesNotMatch(JSON.stringify(others.structuredContent), /retired/, tool);
    }
    const { message } = await failing(peer, { capability: 'gone:way' });
    assert.equal(message, 'Capability not found: gone:way');
    const { stderr } = await bed.pml.run(['run', 'gone:way'], { env: { PML_USER: 'ana' } });
    assert.match(stderr, /"gone:way" is retired\. pml restore brings it back\./);
  });

  test('an invalid name is refused in the contract’s words wherever one is given, and finds nothing where one is used', async () => {
    const odd = [
      '',
      ' ',
      'a b',
      'a.b.c',
      'é',
      '😀',
      '\ud800',
      'x\0y',
      'a\n',
      "x'; drop table x; --",
      '%',
      '*',
      'ns:',
    ];
    for (const name of [
      ...odd,
      'x'.repeat(65),
      'a@v1',
      'local.default:a',
      'local.default.util.a.abcd',
      'mcp:a b',
    ]) {
      const words = `invalid_name: Invalid capability name: "${name}". Must be alphanumeric with underscores, hyphens, and colons only.`;
      const inputs: [tool: string, input: object][] = [
        ['cap_rename', { name: 'other', new_name: name }],
        ['cap_fork', { source: 'other', name }],
        ['cap_merge', { sources: ['other', 'sum'], name, code: 'return 1' }],
        ['pml_execute', { intent: 'x', name, code: 'return 1' }],
      ];
      for (const [tool, input] of inputs) assert.equal(await refusal(peer, tool, input), words);
      if (name === '' || name.includes('@')) continue;
      const unknown = `capability_not_found: Capability not found: ${name}`;
      for (const tool of ['cap_lookup', 'cap_whois', 'cap_history', 'cap_stats', 'cap_retire', 'cap_restore'])
        assert.equal(await refusal(peer, tool, { name }), unknown, tool);
      assert.equal(await refusal(peer, 'cap_rename', { name, description: 'x' }), unknown);
      assert.equal(await refusal(peer, 'cap_update', { name, code: 'return 1' }), unknown);
      assert.equal(await refusal(peer, 'cap_fork', { source: name, name: 'copy' }), unknown);
      assert.equal(await refusal(peer, 'cap_merge', { sources: ['other', name], name: 'both' }), unknown);
      assert.equal(await refusal(peer, 'pml_execute', { intent: 'x', capability: name }), unknown);
    }
    const book = 'x'.repeat(100_000);
    const { message } = await failing(peer, { name: book, code: 'return 1' });
    assert.ok(message.startsWith('Invalid capability name: "xxx') && message.length < 1200);
    assert.ok((await failing(peer, { capability: book })).message.length < 1200);
  });

  test('a stranger finds nothing by any tool, and may read but not change what is public', async () => {
    const { fqdn, id } = await ask(peer, 'cap_whois', { name: 'sum' });
    for (const name of ['sum', 'math:add', fqdn, id]) {
      for (const tool of ['cap_lookup', 'cap_whois', 'cap_history', 'cap_stats', 'cap_retire', 'cap_restore'])
        assert.equal(
          await refusal(ben, tool, { name }),
          `capability_not_found: Capability not found: ${name}`,
        );
      const pinned = `${name}@v1`;
      assert.equal(
        await refusal(ben, 'cap_lookup', { name: pinned }),
        `capability_not_found: Capability not found: ${pinned}`,
      );
    }
    assert.equal((await ask(ben, 'cap_list')).total, 0);
    await ask(peer, 'cap_rename', { name: 'sum', visibility: 'public', tags: ['math'] });
    assert.equal((await ask(ben, 'cap_lookup', { name: 'sum' })).visibility, 'public');
    assert.match(
      await refusal(ben, 'cap_rename', { name: 'sum', new_name: 'mine' }),
      /^not_allowed: Only ana/,
    );
    assert.match(await refusal(ben, 'cap_update', { name: 'sum', code: 'return 1' }), /^not_allowed: /);
    assert.match(await refusal(ben, 'cap_retire', { name: 'sum' }), /^not_allowed: /);
    assert.equal((await ask(ben, 'cap_fork', { source: 'sum', name: 'my:sum' })).forked_from, fqdn);
    assert.equal((await ben.call('my:sum', { a: 1, b: 1 })).content[0].text, '2');
  });

  test('FR034: a saved reference survives every rename of what it refers to', async () => {
    await execute(peer, { name: 'outer', code: 'return 10 * await mcp.sum({ a: 1, b: 1 })' });
    await ask(peer, 'cap_rename', { name: 'sum', new_name: 'math:total' });
    assert.equal((await peer.call('outer')).content[0].text, '20');
    const { code, tools_used } = await ask(peer, 'cap_whois', { name: 'outer' });
    assert.match(code, /mcp\.math\.total\(/);
    assert.deepEqual(tools_used, ['math:total']);
  });

  test('retire and restore, with the name reserved in between', async () => {
    await execute(peer, { name: 'short:lived', code: 'return "alive"' });
    const retired = await ask(peer, 'cap_retire', { name: 'short:lived' });
    assert.ok(retired.retired_at);
    assert.equal(
      await refusal(peer, 'cap:short:lived'),
      'capability_not_found: Capability not found: cap:short:lived',
    );
    assert.ok(!(await peer.toolNames()).includes('mcp__short__lived'));
    assert.match(
      await refusal(peer, 'pml_execute', { intent: 'x', name: 'short:lived', code: 'return 1' }),
      /^name_taken/,
    );
    const { structuredContent: misspelt } = await peer.call('cap_restore', { name: 'short:live' });
    assert.equal(misspelt.error.hint, 'Did you mean "short:lived"?');
    assert.equal((await ask(peer, 'cap_restore', { name: 'short:lived' })).display_name, 'short:lived');
    assert.equal((await peer.call('short:lived')).content[0].text, 'alive');
  });
});
