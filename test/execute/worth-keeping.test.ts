import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const config = {
  mcpServers: { hints: fixtureServer('fixture-hints.ts'), work: fixtureServer('fixture-work.ts') },
};

onEachStore(config, (bed) => {
  let peer: Peer;
  const unnamed = async () => (await ask(peer, 'cap_stats')).unnamed;

  before(async () => {
    peer = await bed.peer();
  });

  test('code that returned nothing and changed nothing is not remembered, and the answer says what is missing', async () => {
    const MISSING: [code: string, warning: RegExp][] = [
      ['', /does nothing/],
      ['// only a comment', /does nothing/],
      ['const a = 1; const b = a + 1;', /returned nothing .* Write `return` before its last value, `b`\./],
      ['const a = 1; console.log(a);', /Write `return` before its last value, `a`\./],
      ['const r = await mcp.hints.look({ q: 1 });', /Write `return` before its last value, `r`\./],
      [
        'mcp.hints.look({ q: 1 }); return',
        /Nothing waits for `mcp\.hints\.look\(…\)`: write `await` before it\./,
      ],
      ['if (args.never) return 1;', /End it with `return`/],
    ];
    const count = await unnamed();
    for (const [code, warning] of MISSING) {
      const answer = await execute(peer, { code });
      assert.equal(answer.result, null, code);
      assert.equal(answer.capabilityName, undefined, code);
      assert.equal(answer.warnings.length, 1);
      assert.match(answer.warnings[0], warning, code);
    }
    assert.equal(await unnamed(), count);
    const { warnings, capabilityName } = await execute(peer, { code: ';', name: 'keep:nothing' });
    assert.match(warnings[0], /does nothing/);
    assert.equal(capabilityName, undefined);
  });

  test('code is remembered if it writes, has a name, or returns anything', async () => {
    const KEPT = [
      { code: 'await mcp.hints.add({ what: "x" });' },
      // Says nothing about itself, so it may write.
      { code: 'await mcp.hints.silent({ what: "x" });' },
      { code: 'const a = await mcp.hints.look({});', name: 'keep:named' },
      { code: 'return null' },
      { code: 'return 40 + 2' },
    ];
    for (const input of KEPT) {
      const { capabilityName, warnings } = await execute(peer, input);
      assert.match(capabilityName, /^(unnamed_[0-9a-f]{8}|keep:named)$/);
      assert.equal(warnings, undefined);
    }
  });

  test('a computation without a name never stands before a capability that uses tools', async () => {
    const code = 'return ["computed", 1 + 1]';
    const computed = await execute(peer, { code });
    for (let count = 0; count < 4; count++) await execute(peer, { code });
    const tool = await execute(peer, { code: 'return ["tool", await mcp.hints.look({})]' });
    const { capabilities } = await ask(peer, 'cap_list', { limit: 1000 });
    const names = capabilities.map(({ name }: Loose) => name);
    assert.ok(names.indexOf(tool.capabilityName) < names.indexOf(computed.capabilityName));
    const usage = capabilities.find(({ name }: Loose) => name === computed.capabilityName).usage_count;
    assert.equal(usage, 5);
    // A name makes it a capability like any other.
    await ask(peer, 'cap_rename', { name: computed.capabilityName, new_name: 'keep:computed' });
    const [first] = (await ask(peer, 'cap_list', { limit: 1000 })).capabilities;
    assert.equal(first.name, 'keep:computed');
    await execute(peer, { code: 'return ["computed twin", 1]', intent: 'twins of luck', name: 'atwin:pure' });
    await execute(peer, {
      code: 'return ["tool twin", await mcp.hints.look({})]',
      intent: 'twins of luck',
      name: 'btwin:tool',
    });
    const { suggestions } = await ask(peer, 'pml_execute', { intent: 'luck' });
    assert.deepEqual(
      suggestions.map(({ name }: Loose) => name),
      ['btwin:tool', 'atwin:pure'],
    );
  });

  test('a description has the names of parameters in place of the values of the first run', async () => {
    const code = `const a = await mcp.work.read({ path: "log.txt", encoding: "workspace" });
      return { a };`;
    const lifted = { intent: "Go to workspace and read 'log.txt'", code, name: 'keep:lifted' };
    await execute(peer, lifted);
    const { description: ofLifted } = await ask(peer, 'cap_whois', { name: 'keep:lifted' });
    assert.equal(ofLifted, "Go to {encoding} and read '{path}'");

    const intent = "Go to workspace and read 'log.txt' for Zanzibar";
    const chosen = `const a = await mcp.work.read({ path: args.path, encoding: args.encoding });
      return { a, region: args.region };`;
    const args = { path: 'log.txt', encoding: 'workspace', region: 'Zanzibar' };
    const made = await execute(peer, { intent, code: chosen, name: 'keep:described', args });
    const rewritten = "Go to {encoding} and read '{path}' for {region}";
    const mine = await ask(peer, 'cap_whois', { name: 'keep:described' });
    assert.equal(mine.description, rewritten);
    // The maker keeps the words of the first run as an example.
    assert.equal(mine.intent, intent);
    const tools = await peer.list('tools/list', 'tools');
    const { description } = tools.find(({ title }) => title === 'keep:described');
    assert.equal(description, `${rewritten}\nCalls work:read.`);
    const { suggestions } = await ask(peer, 'pml_execute', { intent: 'read some path of a region' });
    assert.ok(suggestions.some(({ name }: Loose) => name === 'keep:described'));

    await ask(peer, 'cap_rename', { name: 'keep:described', visibility: 'project' });
    const ben = await asUser(bed, 'ben');
    const theirs = await ask(ben, 'cap_whois', { name: 'keep:described' });
    assert.deepEqual([theirs.description, theirs.intent], [rewritten, rewritten]);
    await ask(ben, 'cap_fork', { source: made.capabilityFqdn, name: 'keep:forked' });
    assert.equal((await ask(ben, 'cap_whois', { name: 'keep:forked' })).intent, rewritten);
    await ask(ben, 'cap_merge', { sources: ['keep:described', 'keep:forked'], name: 'keep:merged' });
    const merged = JSON.stringify(await ask(ben, 'cap_whois', { name: 'keep:merged' }));
    assert.ok(!merged.includes('Zanzibar'), merged);
  });
});
