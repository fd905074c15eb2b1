/** Through a real client: a run that does what a capability does is an instance of it, and one that differs in constants widens it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const bed = new TestBed({ mcpServers: { crm: fixtureServer('fixture-crm.ts') } });
let peer: Peer;

before(async () => {
  peer = await bed.peer();
  for (const [name, kind] of [
    ['Globex', 'call'],
    ['Initech', 'visit'],
    ['Hooli', 'call'],
  ])
    await execute(peer, {
      code: `return await mcp.crm.note({ name: "${name}", text: "said \\"hi\\"", kind: "${kind}", urgent: false })`,
      options: { remember: false },
    });
});

/** Waits until two answers mean one capability: on a busy machine the second is compared after its answer. */
function isOne(first: Loose, second: Loose, client = peer): Promise<unknown> {
  return eventually(async () => {
    const { fqdn } = await ask(client, 'cap_lookup', { name: second.capabilityFqdn });
    return fqdn === first.capabilityFqdn;
  }, 'the second capability is the first');
}

/** Two equal literals, of which nobody knows whether they mean one thing. */
const counted = (skipped: string, counts: string) => `const kinds = ["call", "visit"];
  const all = await mcp.crm.notes();
  return { ${counts}: all.filter((n) => kinds.includes(n.kind) && n.kind !== "${skipped}").length };`;

test('code that differs in a constant makes that a parameter, and the former calls do what they did', async () => {
  const first = await execute(peer, { code: counted('call', 'count') });
  assert.deepEqual(first.result, { count: 1 });
  const second = await execute(peer, { code: counted('visit', 'count') });
  assert.deepEqual(second.result, { count: 2 });
  await isOne(first, second);
  const { version, parameters_schema, verified } = await ask(peer, 'cap_whois', {
    name: first.capabilityFqdn,
  });
  assert.deepEqual([version, verified], [2, true]);
  const [[name, schema]] = Object.entries<Loose>(parameters_schema.properties) as [[string, Loose]];
  assert.equal(schema.default, 'call');
  const call = (given: object) => execute(peer, { capability: first.capabilityFqdn, args: given });
  assert.deepEqual((await call({})).result, { count: 1 });
  assert.deepEqual((await call({ [name]: 'visit' })).result, { count: 2 });
  const { runs } = await ask(peer, 'cap_verify', { name: first.capabilityFqdn });
  assert.ok(
    runs.length >= 2 && runs.every(({ passed }: { passed: boolean }) => passed),
    JSON.stringify(runs),
  );
});

test('what was widened once recognises the next value without another version', async () => {
  const known = await execute(peer, { code: counted('visit', 'count') });
  const again = await execute(peer, {
    code: `let count = 0;
      for (const { kind } of await mcp.crm.notes()) if (["call", "visit"].includes(kind) && kind !== "call") count++;
      return { count };`,
  });
  await isOne(known, again);
  const { version } = await ask(peer, 'cap_lookup', { name: known.capabilityFqdn });
  assert.equal(version, 2);
});

test('code whose author chose its parameters is not widened', async () => {
  const code = (other: string) =>
    `const all = await mcp.crm.notes(); return all.filter((n) => n.kind === args.kind && n.name !== "${other}").map((n) => n.name)`;
  const first = await execute(peer, { code: code('Globex'), args: { kind: 'call' } });
  const second = await execute(peer, { code: code('Hooli'), args: { kind: 'call' } });
  assert.notEqual(second.capabilityFqdn, first.capabilityFqdn);
  const { version } = await ask(peer, 'cap_lookup', { name: first.capabilityFqdn });
  assert.equal(version, 1);
});

test('branches that differ where no run and no made-up world comes are not taken for equal', async () => {
  const code = (note: string) =>
    `const all = await mcp.crm.notes();
     if (all.length > 3 && all.every((n) => n.text === n.name + "-" + n.kind))
       return await mcp.crm.note({ name: "Globex", ${note}, kind: "call", urgent: true });
     return all.map((n) => n.name).sort()[0];`;
  const first = await execute(peer, { code: code('text: "too many"') });
  const second = await execute(peer, { code: code('text: String(all.length)').replace('[0]', '.at(0)') });
  assert.notEqual(second.capabilityFqdn, first.capabilityFqdn);
});

test('the capability of another user is neither widened nor compared by its recordings', async () => {
  const ben = await asUser(bed, 'ben');
  const first = await execute(peer, { code: counted('call', 'seen') });
  await ask(peer, 'cap_rename', { name: first.capabilityFqdn, visibility: 'project' });
  const second = await execute(ben, { code: counted('visit', 'seen') });
  assert.notEqual(second.capabilityFqdn, first.capabilityFqdn);
  const { version } = await ask(peer, 'cap_lookup', { name: first.capabilityFqdn });
  assert.equal(version, 1);
});

test('two sessions that widen the same capability at once make one version of it', async () => {
  const first = await execute(peer, { code: counted('call', 'left') });
  const peers = await Promise.all([bed.peer(), bed.peer(), bed.peer()]);
  const answers = await Promise.all(peers.map((one) => execute(one, { code: counted('visit', 'left') })));
  for (const answer of answers) await isOne(first, answer);
  const { version } = await ask(peer, 'cap_lookup', { name: first.capabilityFqdn });
  assert.equal(version, 2);
});

test('what there was no time to compare is answered as new, and folded afterwards', async () => {
  const hurried = new TestBed({ mcpServers: { crm: fixtureServer('fixture-crm.ts') } });
  hurried.pml.env.PML_REPLAY_MS = '0';
  const client = await hurried.peer();
  const note = { name: 'Globex', text: 'hi', kind: 'call', urgent: false };
  await client.call('mcp__crm__note', note);
  const first = await execute(client, {
    code: 'const all = await mcp.crm.notes(); return all.filter((n) => n.kind === "call").map((n) => [n.name]);',
  });
  const second = await execute(client, {
    code: 'const found = []; for (const n of await mcp.crm.notes()) if (n.kind === "call") found.push([n.name]); return found;',
  });
  assert.notEqual(second.capabilityFqdn, first.capabilityFqdn);
  await isOne(first, second, client);
  const again = await execute(client, { capability: second.capabilityFqdn, args: {} });
  assert.deepEqual(again.result, first.result);
});

test('a name that is given to what a capability does already is kept, and the inbox proposes to fold the two', async () => {
  const code = (list: string) => `const all = await mcp.crm.notes(); ${list} return names.join(" & ") + "!";`;
  await execute(peer, { code: code('const names = all.map((n) => n.name);'), name: 'crm:joined' });
  await execute(peer, {
    code: code('const names = []; for (const { name } of all) names.push(name);'),
    name: 'crm:also_joined',
  });
  const { suggestions } = await ask(peer, 'cap_curate', { mode: 'suggest', filter: { unnamed_only: false } });
  assert.match(JSON.stringify(suggestions), /crm:joined.*crm:also_joined|crm:also_joined.*crm:joined/);
});

test('an unnamed capability takes the name that another style of it is given', async () => {
  const unnamed = await execute(peer, {
    code: 'return (await mcp.crm.notes()).filter((n) => n.kind === "visit").map((n) => n.name + "?")',
  });
  const named = await execute(peer, {
    name: 'crm:visited',
    code: `const kind = "call"; const out = [];
      for (const n of await mcp.crm.notes()) if (n.kind === kind) out.push(n.name + "?");
      return out;`,
  });
  assert.equal(named.capabilityName, 'crm:visited');
  await isOne(
    unnamed,
    await ask(peer, 'cap_lookup', { name: 'crm:visited' }).then(({ fqdn }) => ({ capabilityFqdn: fqdn })),
  );
});
