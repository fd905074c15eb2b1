/** Through real clients: a capability that writes demands its payload, and shows the first run's data to its maker alone. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const bed = new TestBed({ mcpServers: { crm: fixtureServer('fixture-crm.ts') } });
let ana: Peer;
let ben: Peer;

const CODE = `const { city } = await mcp.crm.customer({ name: "Globex" });
return await mcp.crm.note({ name: "Globex", text: "Invoice 7734 paid", kind: "call", urgent: true, author: city });`;

before(async () => {
  ana = await asUser(bed, 'ana');
  ben = await asUser(bed, 'ben');
  await execute(ana, { code: CODE, name: 'crm:log', intent: 'log a payment' });
  await ask(ana, 'cap_rename', { name: 'crm:log', visibility: 'public' });
});

const listed = async (peer: Peer, name: string): Promise<Loose> =>
  (await peer.list('tools/list', 'tools')).find((tool) => tool.name === name);

test('payload that a writing tool demands is required; the rest keeps its defaults', async () => {
  const { inputSchema } = await listed(ana, 'mcp__crm__log');
  assert.deepEqual(inputSchema.required.toSorted(), ['name', 'text']);
  const { properties } = inputSchema;
  assert.deepEqual([properties.kind.default, properties.urgent.default], ['call', true]);
  // The customer that is read is the one that the note is written for: one parameter, required by the write.
  assert.deepEqual(Object.keys(properties).toSorted(), ['kind', 'name', 'text', 'urgent']);
  assert.deepEqual(properties.text, {
    type: 'string',
    description: 'text of crm:note: The note',
    examples: ['Invoice 7734 paid'],
  });
});

test('nothing is written by omission, and the maker is shown the whole call', async () => {
  const { message, hint = '' } = await failing(ana, {
    capability: 'crm:log',
    args: { name: 'Initech' },
  });
  assert.equal(message, 'Wrong arguments for "crm:log": "text" is missing.');
  const call = /pml_execute\((\{.*\})\)/.exec(hint)?.[1] ?? '';
  assert.deepEqual(JSON.parse(call), {
    intent: 'use crm:log',
    capability: 'crm:log',
    args: { name: 'Initech', text: 'Invoice 7734 paid' },
  });
  const { result } = await execute(ana, { code: 'return await mcp.crm.notes()' });
  assert.equal(result.length, 1);
});

test('the call that the error shows does what the first run did', async () => {
  const { hint = '' } = await failing(ana, { capability: 'crm:log' });
  const { result } = await execute(ana, JSON.parse(/pml_execute\((\{.*\})\)/.exec(hint)?.[1] ?? ''));
  const { kept, ...note } = result;
  assert.deepEqual(note, {
    name: 'Globex',
    text: 'Invoice 7734 paid',
    kind: 'call',
    urgent: true,
    author: 'Globex City',
  });
});

test('the recorded run replays', async () => {
  const { verified, runs } = await ask(ana, 'cap_verify', { name: 'crm:log' });
  assert.deepEqual([verified, runs[0].differences], [true, []]);
});

test("others see the signature, and nothing of the maker's run", async () => {
  const { hint = '' } = await failing(ben, { capability: 'crm:log' });
  assert.match(hint, /mcp\.crm\.log\(args: \{ .*text: string/);
  const tool = await listed(ben, 'mcp__crm__log');
  assert.deepEqual(tool.inputSchema.required.toSorted(), ['name', 'text']);
  const shown = [
    hint,
    tool,
    await ask(ben, 'cap_lookup', { name: 'crm:log' }),
    await ask(ben, 'cap_whois', { name: 'crm:log' }),
    await ask(ben, 'pml_execute', { intent: 'log a payment' }),
    await failing(ben, { capability: 'crm:log', args: { text: 1, name: 2 } }),
    await failing(ben, { code: 'return await mcp.crm.log({ text: "x" })' }),
    await ask(ben, 'cap_fork', { source: 'crm:log', name: 'crm:copy' }),
    await ask(ben, 'cap_whois', { name: 'crm:copy' }),
    await ask(ben, 'cap_merge', { sources: ['crm:log', 'crm:copy'], name: 'crm:twice' }),
  ];
  for (const each of shown) assert.doesNotMatch(JSON.stringify(each), /7734|"examples"/);
  const whois = JSON.stringify(await ask(ana, 'cap_whois', { name: 'crm:log' }));
  assert.match(whois, /7734/);
  assert.match(JSON.stringify(await ask(ana, 'cap_lookup', { name: 'crm:log' })), /7734/);
  assert.match(whois, /"signature_valid":true/);
});

test('a new version has the examples of its own code', async () => {
  const code = CODE.replace('7734', '8845').replace('return await', 'return 1 && await');
  const answer = await ask(ana, 'cap_update', { name: 'crm:log', code });
  assert.equal(answer.version, 2);
  const { properties, required } = (await listed(ana, 'mcp__crm__log')).inputSchema;
  assert.deepEqual(
    [required.toSorted(), properties.text.examples],
    [['name', 'text'], ['Invoice 8845 paid']],
  );
});

test('no bundle and no skill holds an example', async () => {
  for (const args of [
    ['--out', 'log.json'],
    ['--format', 'skill', '--out', 'skills'],
  ]) {
    const { code, stderr } = await bed.pml.run(['export', 'crm:log', ...args], { env: { PML_USER: 'ana' } });
    assert.equal(code, 0, stderr);
  }
  // Everything in the home is the maker's own.
  const files = readdirSync(bed.pml.dir, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(?:json|md|ts)$/.test(file) && !file.startsWith('home'),
  );
  assert.ok(files.includes('log.json') && files.some((file) => file.endsWith('SKILL.md')), files.join());
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(bed.pml.dir, file), 'utf8'), /7734|8845|"examples"/, file);
});
