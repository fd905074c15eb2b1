/** Through a real client: one procedure is one capability, however a model writes it and with whatever data. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const bed = new TestBed({
  mcpServers: { crm: fixtureServer('fixture-crm.ts'), desk: fixtureServer('fixture-desk.ts') },
});
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

const writtenAs: Record<string, (name: string, text: string) => string> = {
  'plain calls': (name, text) =>
    `const c = await mcp.crm.customer({ name: "${name}" });\nreturn await mcp.crm.note({ name: "${name}", text: "${text}", author: c.city, kind: "call", urgent: true });`,
  'a config object and a helper': (name, text) =>
    `const cfg = { customer: { name: "${name}" }, note: { name: "${name}", text: "${text}", kind: "call", urgent: true } };
     const save = async (note, author) => mcp.crm.note({ ...note, author });
     const { city } = await mcp.crm.customer(cfg.customer);
     return save(cfg.note, city);`,
  'constants and a tool by name': (name, text) =>
    `const who = "${name}"; const tool = "note";
     const found: any = await mcp["crm:customer"]({ name: who });
     const written = await mcp.crm[tool]({ text: \`${text}\`, author: found.city, name: who, kind: "call", urgent: true });
     return written;`,
};

test('one capability in every style, its runs recorded and replayable, its use counted', async () => {
  const names = new Set<string>();
  let at = 0;
  for (const write of Object.values(writtenAs)) {
    at += 1;
    const { capabilityName } = await execute(peer, {
      code: write(at === 1 ? 'Globex' : 'Initech', `note ${at}`),
      intent: 'note it',
    });
    names.add(capabilityName);
  }
  assert.equal(names.size, 1);
  const [name = ''] = names;
  const { verified, runs } = await ask(peer, 'cap_verify', { name });
  assert.ok(runs.length >= 2, JSON.stringify(runs));
  assert.equal(verified, true, JSON.stringify(runs));
  const { usage_count } = await ask(peer, 'cap_lookup', { name });
  assert.equal(usage_count, 3);
});

test('the name of a procedure may be given again with its code; other code for it is known without the name', async () => {
  const [first, second] = Object.values(writtenAs);
  const name = 'crm:note_city';
  const named = await execute(peer, { code: first?.('Hooli', 'a') ?? '', name });
  const again = await execute(peer, { code: first?.('Umbrella', 'b') ?? '', name });
  assert.equal(again.capabilityFqdn, named.capabilityFqdn);
  // Only a run shows that other code does the same, and a name that is taken must not cost the effects of a run.
  const count = async () => (await execute(peer, { code: 'return (await mcp.crm.notes()).length' })).result;
  const before = await count();
  const other = second?.('Soylent', 'c') ?? '';
  assert.equal((await failing(peer, { code: other, name })).code, 'name_taken');
  assert.equal(await count(), before);
  assert.equal((await execute(peer, { code: other })).capabilityFqdn, named.capabilityFqdn);
});

test('a run in another style is answered with a call that does the same, and is recorded with its arguments', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a program in a plain string
  const code = 'const { city } = await mcp.crm.customer({ name: args.who }); return `${city}!`;';
  const { result } = await execute(peer, { code, name: 'crm:shout', args: { who: 'Globex' } });
  assert.equal(result, 'Globex City!');
  const said = await execute(peer, {
    code: 'const q = { name: args.customer };\nreturn (await mcp.crm.customer(q)).city + "!";',
    // `who` means something else here.
    args: { customer: 'Initech', who: 'nobody' },
  });
  assert.equal(said.capabilityName, 'crm:shout');
  const [warning = ''] = said.warnings;
  assert.match(warning, /^This run did the same as the capability "crm:shout"/);
  const call = JSON.parse(/pml_execute\((\{.*\})\)$/.exec(warning)?.[1] ?? '');
  assert.deepEqual(call.args, { who: 'Initech' });
  assert.equal((await execute(peer, call)).result, said.result);
  const { verified, runs } = await ask(peer, 'cap_verify', { name: 'crm:shout' });
  assert.deepEqual([verified, runs.length], [true, 2]);
});

test('another procedure with the same calls is another capability, and the answer names the first', async () => {
  const code = `const c = await mcp.crm.customer({ name: "Globex" });
    if (!c.city) return "unknown";
    return await mcp.crm.note({ name: "Globex", text: "hello", author: c.city, kind: "call", urgent: true });`;
  const { capabilityName, warnings } = await execute(peer, { code });
  assert.notEqual(capabilityName, 'crm:note_city');
  assert.match(JSON.stringify(warnings), /same calls in the same order as \\"crm:note_city\\"/);
});

test('no call of another capability is suggested that would leave out a value of the run', async () => {
  const calls = 'const c = await mcp.crm.customer({ name: "Globex" }); const all = await mcp.crm.notes();';
  await execute(peer, { code: `${calls} return [c.city, all.length]`, name: 'crm:count' });
  const { warnings } = await execute(peer, {
    code: `const min = 2; ${calls} return [c.city, all.length > min]`,
  });
  const [warning = ''] = warnings ?? [];
  assert.match(warning, /same calls in the same order as "crm:count"/);
  assert.doesNotMatch(warning, /Call:/);
});

test('a literal that an earlier call returned defaults to what that call returns next time', async () => {
  const login = async (user: string) => {
    const { result } = await execute(peer, {
      code: `return await mcp.desk.login({ user: "${user}", password: "correct horse" })`,
      options: { remember: false },
    });
    return result.auth.token as string;
  };
  const write = (user: string, token: string, name: string) =>
    `const session = await mcp.desk.login({ user: "${user}", password: "correct horse" });
     const found = await mcp.desk.find({ name: "${name}", token: ${token} });
     return [found.customer.id, found.by];`;
  const token = await login('ana');
  const first = await execute(peer, { code: write('ana', `"${token}"`, 'Globex'), name: 'desk:find_id' });

  const { inputSchema } = (await peer.list('tools/list', 'tools')).find(
    ({ name }) => name === 'mcp__desk__find_id',
  );
  assert.deepEqual(inputSchema.required.toSorted(), ['password', 'user']);
  assert.equal(inputSchema.properties.token.writeOnly, true);
  assert.match(inputSchema.properties.token.description, /default: auth\.token of desk:login/);
  const whois = await ask(peer, 'cap_whois', { name: 'desk:find_id' });
  assert.match(whois.code, /token: args\.token \?\? session\.auth\.token \}/);
  assert.equal(whois.verified, true);
  assert.ok(!JSON.stringify(whois).includes(token));
  assert.equal((await ask(peer, 'cap_verify', { name: 'desk:find_id' })).verified, true);

  // Another login, and with it another token.
  const other = await login('ben');
  assert.notEqual(other, token);
  const spelled = await execute(peer, { code: write('ben', 'session.auth.token', 'Initech') });
  assert.equal(spelled.result[1], 'ben');
  const args = { user: 'ben', password: 'correct horse', name: 'Initech' };
  const linked = await execute(peer, { capability: 'desk:find_id', args });
  assert.deepEqual(linked.result, spelled.result);
  const given = await execute(peer, { capability: 'desk:find_id', args: { ...args, token: 'a-token-4711' } });
  assert.deepEqual(given.result, [spelled.result[0], 'a-t']);
  const again = await execute(peer, { code: write('ben', `"${other}"`, 'Initech'), name: 'desk:find_id' });
  assert.equal(again.capabilityFqdn, first.capabilityFqdn);
});

test('a link is recognised in code that reads the result itself, and in the same code with other data', async () => {
  const write = (name: string, id: string) =>
    `const { customer } = await mcp.desk.find({ name: "${name}", token: "none" });
     return await mcp.desk.note({ id: ${id}, text: "hello", channel: "mail", token: "none" });`;
  const idOf = async (name: string) =>
    (await execute(peer, { code: write(name, 'customer.id'), options: { remember: false } })).result.noted;
  const [globex, initech] = [await idOf('Globex'), await idOf('Initech')];
  const name = 'desk:greet';
  const first = await execute(peer, { code: write('Globex', `"${globex}"`), name });
  const { code } = await ask(peer, 'cap_whois', { name });
  assert.match(code, /id: args\.id \?\? customer\.id,/);
  for (const id of [`"${initech}"`, 'customer.id']) {
    const again = await execute(peer, { code: write('Initech', id) });
    assert.equal(again.capabilityFqdn, first.capabilityFqdn, id);
    assert.equal(again.result.noted, initech);
  }
  const named = await execute(peer, { code: write('Initech', `"${initech}"`), name });
  assert.equal(named.capabilityFqdn, first.capabilityFqdn);
});
