import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let peer: Peer;
  const called = async (name: string, args: object = {}) => (await peer.call(name, args)).content[0].text;

  before(async () => {
    peer = await asUser(bed, 'ana');
    await execute(peer, {
      name: 'my:reader',
      code: 'const r = await mcp.work.read({ path: "a.json" }); return "one " + r.path',
    });
  });

  test('FR038, FR041, 13.6 AC2, AC3: an update makes the next version, with its tag', async () => {
    const { code } = await ask(peer, 'cap_whois', { name: 'my:reader' });
    const next = await ask(peer, 'cap_update', {
      name: 'my:reader',
      code: code.replace('one', 'two'),
      version_tag: 'v1.2.0',
      change_summary: 'says two',
    });
    assert.deepEqual(next, {
      version: 2,
      version_tag: 'v1.2.0',
      replay: { passed: 0, failed: 1, differences: ['It returns two a.json instead of one a.json.'] },
    });
    // The literal of the first version is still the default.
    assert.equal(await called('my:reader'), 'two a.json');
    assert.equal(await called('my:reader', { path: 'b' }), 'two b');
    await ask(peer, 'cap_update', { name: 'my:reader', code: code.replace('one', 'three') });
  });

  test('FR042, FR043, 13.6 AC4, AC5, AC6, AC7, AC8: a version can be picked wherever a name is taken', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const expected = {
      '@v1': 'two',
      '@v1.2.0': 'two',
      '@v2': 'two',
      '@v3': 'three',
      '@latest': 'three',
      '': 'three',
      [`@${today}`]: 'three',
    };
    for (const [version, word] of Object.entries(expected)) {
      const name = `my:reader${version}`;
      const said = `${word} a.json`;
      assert.equal(await called(name), said, name);
      assert.equal(await called(`mcp__my__reader${version}`), said);
      assert.equal((await execute(peer, { capability: name })).result, said);
      assert.equal((await execute(peer, { code: `return await mcp["${name}"]()` })).result, said);
      assert.equal(
        (await execute(peer, { code: 'return await mcp[args.name as string]()', args: { name } })).result,
        said,
      );
    }
    // "@1" counts the versions, whatever the tags are.
    assert.equal(await called('my:reader@1'), 'one a.json');
    const warning =
      /^"my:reader@v1" means version 2 \(v1\.2\.0\).*Version number 1 is other code: write "my:reader@1"/;
    for (const tool of ['cap_lookup', 'cap_whois', 'cap_verify']) {
      const { warnings } = await ask(peer, tool, { name: 'my:reader@v1' });
      assert.match(warnings[0], warning, tool);
      for (const version of ['@1', '@v1.2.0', '@v2', ''])
        assert.equal((await ask(peer, tool, { name: `my:reader${version}` })).warnings, undefined, tool);
    }
    const code = 'return [await mcp["my:reader@v1"](), await mcp["my:reader@v1"]()].length';
    for (const input of [{ capability: 'my:reader@v1' }, { code, options: { remember: false } }]) {
      const { warnings } = await execute(peer, input);
      assert.deepEqual([warnings.length, warning.test(warnings[0])], [1, true]);
    }
    assert.match((await peer.call('my:reader@v1')).content[1].text, warning);
    const fork = await ask(peer, 'cap_fork', { source: 'my:reader@v1', name: 'my:forked_reader' });
    assert.match(fork.warnings[0], warning);
    const updated = await ask(peer, 'cap_update', { name: 'my:forked_reader', code });
    assert.match(updated.warnings[0], warning);
    const missing = 'version_not_found: Version v9 not found for my:reader';
    for (const tool of ['cap_lookup', 'cap_whois'])
      assert.equal(await refusal(peer, tool, { name: 'my:reader@v9' }), missing);
    assert.equal(await refusal(peer, 'my:reader@v9'), missing);
    for (const input of [{ capability: 'my:reader@v9' }, { code: 'return await mcp["my:reader@v9"]()' }]) {
      const { code, message } = await failing(peer, input);
      assert.equal(`${code}: ${message}`, missing);
    }
  });

  test('a version in saved code stays the one that was written, and is shown with the name of today', async () => {
    await execute(peer, {
      name: 'pins',
      code: 'return [await mcp["my:reader@v1.2.0"](), await mcp.my.reader()]',
    });
    await ask(peer, 'cap_rename', { name: 'my:reader', new_name: 'fs:reader' });
    await ask(peer, 'cap_update', { name: 'fs:reader', code: 'return "four"' });
    assert.equal(await called('pins'), JSON.stringify(['two a.json', 'four']));
    const { code } = await ask(peer, 'cap_whois', { name: 'pins' });
    assert.match(code, /mcp\["fs:reader@v1\.2\.0"\]\(\)/);
    assert.match(code, /mcp\.fs\.reader\(\)/);
    // A version may call an older one of itself, but not itself.
    await ask(peer, 'cap_update', {
      name: 'fs:reader',
      code: 'return "five, " + await mcp["fs:reader@v4"]()',
    });
    assert.equal(await called('fs:reader'), 'five, four');
    assert.match(
      await refusal(peer, 'cap_update', { name: 'fs:reader', code: 'return await mcp.fs.reader()' }),
      /^capability_cycle: .*fs:reader → fs:reader/,
    );
  });

  test('FR019, 13.6 AC9: history has every version, newest first, and going back is an update from an old one', async () => {
    const { code } = await ask(peer, 'cap_whois', { name: 'fs:reader@v3' });
    await ask(peer, 'cap_update', { name: 'fs:reader', code, change_summary: 'back to three' });
    assert.equal(await called('fs:reader'), 'three a.json');
    const { versions } = await ask(peer, 'cap_history', { name: 'fs:reader' });
    assert.deepEqual(
      versions.map(({ version }: { version: number }) => version),
      [6, 5, 4, 3, 2, 1],
    );
    assert.deepEqual(Object.keys(versions[0]).sort(), [
      'change_summary',
      'diff',
      'updated_at',
      'updated_by',
      'version',
      'version_tag',
    ]);
    assert.equal(versions[0].change_summary, 'back to three');
    const between = versions[4].diff;
    assert.match(between, /^--- fs:reader@1\n\+\+\+ fs:reader@2\n@@ /);
    assert.match(between, /^-.*one/m);
    assert.match(between, /^\+.*two/m);
  });

  test('an update is checked like new code: syntax, unknown calls, a trial run', async () => {
    const change = (input: object) => refusal(peer, 'cap_update', { name: 'fs:reader', ...input });
    assert.match(await change({ code: 'return (' }), /^syntax_error: /);
    assert.match(await change({ code: 'return await mcp.work.raed({})' }), /^tool_not_found: .*work:read/);
    assert.match(
      await change({ code: 'throw new Error("no " + args.why)', args: { why: 'way' } }),
      /^code_exception: .*no way/,
    );
    assert.match(await change({ code: 'return 1', version_tag: '1.x' }), /^bad_request: Invalid version tag/);
    assert.match(await change({ code: 'return 1', version_tag: '1.2.0' }), /^version_taken: /);
    assert.equal((await ask(peer, 'cap_lookup', { name: 'fs:reader' })).version, 6);
  });
});
