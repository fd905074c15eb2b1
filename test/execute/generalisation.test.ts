import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';

const bed = new TestBed({ mcpServers: { work: fixtureServer('fixture-work.ts') } });
// The log must hold no secret at any level.
bed.pml.env.PML_LOG = 'debug';
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

const run = (code: string, more: object = {}) => execute(peer, { code, ...more });
const fqdnOf = async (code: string) => (await run(code)).capabilityFqdn as string;

test('the same code with other data is the same capability', async () => {
  const first = await fqdnOf('return await mcp.work.read({ path: "a.json" })');
  assert.equal(await fqdnOf('return await mcp.work.read({ path: "b/c.json" })'), first);
  assert.equal(
    await fqdnOf('// formatted\n  return await mcp.work.read({\n    path: `d.json`,\n  });'),
    first,
  );
  assert.equal(await fqdnOf('return await mcp["work"]["read"]({ "path": "e.json" })'), first);
  // Without arguments it does what the first run did.
  assert.equal((await execute(peer, { capability: first })).result.path, 'a.json');
  assert.equal((await execute(peer, { capability: first, args: { path: 'z' } })).result.path, 'z');
});

test('a path that the code goes on from follows its parameter, however the code spells it', async () => {
  const spelled = await run(
    'const { path } = await mcp.work.read({ path: "/logs/may" }); const name = path.slice(-3); return await mcp.work.read({ path: "/logs/may/" + name })',
  );
  const asked = { capability: spelled.capabilityFqdn, args: { path: '/logs/june' } };
  assert.equal((await execute(peer, asked)).result.path, '/logs/june/une');
  const named = await run(
    `const folder = "/logs/july"; const first = await mcp.work.read({ path: folder }); return await mcp.work.read({ path: \`\${folder}/\${first.path.slice(-3)}\` })`,
  );
  assert.equal(named.capabilityFqdn, spelled.capabilityFqdn);
});

test('the same code may repeat its name; other code may not take it', async () => {
  const name = 'work:again';
  const first = await run('return await mcp.work.read({ path: "again.json" }) as object', { name });
  const second = await run('return await mcp.work.read({ path: "other.json" }) as object', { name });
  assert.equal(second.capabilityFqdn, first.capabilityFqdn);
  assert.equal(second.warnings, undefined);
  const { message, hint } = await failing(peer, { code: 'return 2', name });
  assert.equal(message, `Capability name '${name}' already exists in scope local.default`);
  const advice = 'Choose another name, or replace the code of that capability with cap_update.';
  assert.equal(hint, `${advice} Nothing has run.`);
  await run('return "taken"', { name: 'work:taken' });
  for (const [tool, input] of [
    ['cap_rename', { name: 'work:again', new_name: 'work:taken' }],
    ['cap_fork', { source: 'work:again', name: 'work:taken' }],
  ] as const) {
    const { structuredContent } = await peer.call(tool, input);
    assert.equal(structuredContent.error.hint, advice);
  }
});

test('names of locals and types do not make another capability; other behaviour does', async () => {
  const first = await fqdnOf('const one = await mcp.work.read({ path: "a" }); return one.path + 1');
  assert.equal(
    await fqdnOf('const two: { path: string } = await mcp.work.read({ path: "b" }); return two.path + 1'),
    first,
  );
  assert.notEqual(
    await fqdnOf('const one = await mcp.work.read({ path: "a" }); return 1 + one.path.length'),
    first,
  );
});

test('another statement of SQL is another capability', async () => {
  const count = await fqdnOf('return await mcp.work.query({ sql: "SELECT count(*) FROM users" })');
  const remove = await fqdnOf('return await mcp.work.query({ sql: "DELETE FROM users" })');
  assert.notEqual(count, remove);
  assert.equal(await fqdnOf('return await mcp.work.query({ sql: "SELECT count(*) FROM users" })'), count);
  const { message } = await failing(peer, { capability: remove, args: { sql: 'SELECT 1' } });
  assert.match(message, /"sql" is not one of its parameters/);
});

test('a number, a flag and a list are parameters, and the same value twice in one role is one', async () => {
  const code = `const kept = await mcp.work.keep({ item: ["a", "b"] });
    await mcp.work.wait({ ms: 1 });
    return [await mcp.work.read({ path: "same" }), await mcp.work.read({ path: "same", encoding: "x" })]`;
  await run(code, { name: 'many:parameters' });
  const tools = await peer.list('tools/list', 'tools');
  const { inputSchema } = tools.find(({ name }) => name === 'mcp__many__parameters');
  assert.deepEqual(Object.keys(inputSchema.properties).sort(), ['encoding', 'item', 'ms', 'path']);
  assert.deepEqual(inputSchema.properties.item.default, ['a', 'b']);
  const { result } = await execute(peer, { capability: 'many:parameters', args: { path: 'other' } });
  assert.deepEqual(
    result.map(({ path }: { path: string }) => path),
    ['other', 'other'],
  );
});

test('once the values of a parameter are data or programs, later ones are judged alike', async () => {
  const refused = (why: string) =>
    `try { await mcp.work.refuse({ why: ${JSON.stringify(why)} }) } catch { return 1 }`;
  const plain = await fqdnOf(refused('not today'));
  assert.equal(await fqdnOf(refused('SELECT count(*) FROM users')), plain);
  const kept = (item: string) => `await mcp.work.keep({ item: ${JSON.stringify(item)} }); return "kept"`;
  const count = await fqdnOf(kept('SELECT count(*) FROM users'));
  assert.notEqual(await fqdnOf(kept('DELETE FROM users')), count);
  assert.notEqual(await fqdnOf(kept('hello')), count);
  assert.equal(await fqdnOf(kept('SELECT count(*) FROM users')), count);
});

/** A random token in GitHub's form, so that no file can hold it by chance. */
const newSecret = () => `ghp_${randomBytes(18).toString('hex')}`;
const secrets: string[] = Array.from({ length: 8 }, newSecret);
const [literal = '', constant, comment, inUrl, asKey, inIntent, inFailure = '', asArgument] = secrets;

test('a secret is a required parameter without a default', async () => {
  const code = `return await mcp.work.repos({ owner: "ana", token: "${literal}" })`;
  const { result } = await run(code, { name: 'secret:literal' });
  assert.deepEqual(result, { owner: 'ana', length: literal.length });
  const { message } = await failing(peer, { capability: 'secret:literal' });
  assert.equal(message, 'Wrong arguments for "secret:literal": "token" is missing.');
  const again = await execute(peer, {
    capability: 'secret:literal',
    args: { token: asArgument, owner: 'ben' },
  });
  assert.deepEqual(again.result, { owner: 'ben', length: literal.length });
  const { inputSchema } = (await peer.list('tools/list', 'tools')).find(
    ({ name }) => name === 'mcp__secret__literal',
  );
  assert.deepEqual(inputSchema.required, ['token']);
  assert.equal(inputSchema.properties.token.default, undefined);
  assert.equal(inputSchema.properties.owner.default, 'ana');
  // The same code with another secret is the same capability.
  const other = await run(code.replace(literal, newSecret()));
  assert.equal(other.capabilityName, 'secret:literal');
});

test('a secret in a constant, a comment or a longer text is taken out too', async () => {
  await run(`const key = "${constant}"; return key.length // not ${comment}`, { name: 'secret:constant' });
  await run(`return await mcp.work.read({ path: "https://api.example.com/?key=${inUrl}&x=1" })`, {
    name: 'secret:url',
  });
  assert.match((await failing(peer, { capability: 'secret:constant' })).message, /"key" is missing/);
});

test('code whose secret cannot become a parameter is not remembered, and the answer says so', async () => {
  const code = `const table = { "${asKey}": 1 }; return Object.values(table)`;
  const { result, capabilityFqdn, warnings } = await run(code, { name: 'secret:key' });
  assert.deepEqual(result, [1]);
  assert.equal(capabilityFqdn, undefined);
  assert.deepEqual(warnings, [
    'This code was not remembered. It holds a secret that cannot become a parameter: read it from args instead.',
  ]);
  assert.equal(
    (await failing(peer, { capability: 'secret:key' })).message,
    'Capability not found: secret:key',
  );
});

test('a secret in an intent or a failure is hidden in what is stored', async () => {
  await run('return "of an intent"', { intent: `with ${inIntent} as token`, name: 'secret:intent' });
  const tools = await peer.list('tools/list', 'tools');
  const listed = tools.find(({ name }) => name === 'mcp__secret__intent');
  assert.equal(listed.description, 'with [hidden] as token');
  // The caller, who sent it, still sees it.
  const thrown = await failing(peer, { code: `throw new Error("bad ${inFailure}")` });
  assert.ok(thrown.message.includes(inFailure));
  const refused = { code: 'return await mcp.work.refuse({ why: args.why as string })' };
  await failing(peer, { ...refused, args: { why: `bad ${inFailure}` } });
});

test('no secret is anywhere in the home after all that', async () => {
  await bed.pml.run(['down']);
  const { home } = bed.pml;
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((file) => join(home, file))
    .filter((file) => statSync(file).isFile());
  assert.ok(files.some((file) => file.endsWith('pml.log')));
  assert.ok(files.length > 100, 'the files of the database are among them');
  const text = files.map((file) => [file, readFileSync(file)] as const);
  // Proof that the search works: it finds the name of a capability.
  assert.ok(text.some(([, bytes]) => bytes.includes('secret:literal')));
  for (const [file, bytes] of text) {
    for (const secret of secrets) assert.ok(!bytes.includes(secret.slice(0, 20)), `${secret} in ${file}`);
  }
});

test('the journal has the failed runs, without the secrets', async () => {
  const failures = await bed.rows(
    "select error from tool_usage where server_id = 'pml' and not success order by called_at",
  );
  assert.deepEqual(
    failures.map(({ error }) => error),
    [
      'bad [hidden] (line 1, column 7)',
      'mcp.work.refuse({ why: "bad [hidden]" }) failed: bad [hidden] (line 1, column 23)',
    ],
  );
});
