/** Through a real client and a real database: the constants of a `select` are parameters, and stay within their quotes. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';

const bed = new TestBed({ mcpServers: { db: fixtureServer('fixture-sql.ts') } });
let peer: Peer;

const CODE = `const rows = await mcp.db.execute_sql({ query: "select name, total from customers where city = 'Oslo' order by name limit 2" });
return rows.map((row) => row.name);`;

before(async () => {
  peer = await bed.peer();
  const { result } = await execute(peer, { code: CODE, name: 'db:top', intent: 'list customers of a city' });
  assert.deepEqual(result, ['Ana', 'Ben']);
});

const customers = async (args: object): Promise<Loose> =>
  (await execute(peer, { capability: 'db:top', args })).result;
const count = async (): Promise<number> =>
  (
    await execute(peer, {
      code: 'return await mcp.db.execute_sql({ query: "select count(*) as n from customers" })',
    })
  ).result[0].n;

test('a capability runs the select with another city and limit', async () => {
  assert.deepEqual(await customers({}), ['Ana', 'Ben']);
  assert.deepEqual(await customers({ city: 'Bergen', limit: 1 }), ['Dora']);
  assert.deepEqual(await customers({ limit: 10 }), ['Ana', 'Ben', 'Cid']);
  assert.deepEqual(await customers({ city: "Coeur d'Alene" }), ['Finn']);
});

test('the parameters are named by their columns, and optional, since a select changes nothing', async () => {
  const tools = await peer.list('tools/list', 'tools');
  const { inputSchema } = tools.find(({ name }: Loose) => name === 'mcp__db__top');
  assert.deepEqual(Object.keys(inputSchema.properties), ['city', 'limit']);
  assert.equal(inputSchema.required, undefined);
  assert.deepEqual([inputSchema.properties.city.default, inputSchema.properties.limit.default], ['Oslo', 2]);
});

test('the same select with other constants, or in another style, is the same capability', async () => {
  const styles = [
    CODE.replace('Oslo', 'Bergen').replace('limit 2', 'limit 3'),
    `const city = "Bergen"; const most = 1;
     const rows = await mcp.db.execute_sql({ query: \`select name, total from customers where city = '\${city}' order by name limit \${most}\` });
     const names = []; for (const { name } of rows) names.push(name); return names;`,
    `async function top(city, limit) {
       const query = "select name, total from customers where city = '" + city + "' order by name limit " + limit;
       return (await mcp.db.execute_sql({ query })).map(({ name }) => name);
     }
     return await top("Oslo", 3);`,
  ];
  const known = await execute(peer, { code: CODE });
  for (const code of styles) {
    const { capabilityFqdn, created } = await execute(peer, { code });
    assert.equal(capabilityFqdn, known.capabilityFqdn, code);
    assert.ok(!created);
  }
});

test('two selects may be executed in any order', async () => {
  const [a, b] = ['total > 100', 'total < 50'].map(
    (where) => `await mcp.db.execute_sql({ query: "select name from customers where ${where}" })`,
  );
  const one = await execute(peer, { code: `const high = ${a}; const low = ${b}; return { high, low };` });
  const other = await execute(peer, {
    code: `const few = ${b}; const many = ${a}; return { high: many, low: few };`,
  });
  assert.equal(other.capabilityFqdn, one.capabilityFqdn);
});

test('a value that would leave its place in the statement is refused, however the capability is called', async () => {
  const hostile: [object, RegExp][] = [
    [{ city: "'; delete from customers; --" }, /"city" is written into SQL, so it must have no backslash/],
    [{ city: "x' or '1'='1'" }, /"city" is written into SQL, so it must have no backslash/],
    [{ city: '\\' }, /"city" is written into SQL, so it must have no backslash/],
    [{ limit: '1; delete from customers' }, /"limit" must be integer/],
    [{ limit: -1 }, /"limit" must be >= 0/],
    [{ city: ["'; delete from customers; --"] }, /"city" must be string/],
    [{ city: { replaceAll: 1 } }, /"city" must be string/],
  ];
  const before = await count();
  for (const [args, message] of hostile) {
    assert.match((await failing(peer, { capability: 'db:top', args })).message, message);
    // What is written out is checked before the code runs.
    const code = `return await mcp["db:top"](${JSON.stringify(args)})`;
    const refused = new RegExp(`${message.source}|(?:city|limit) cannot be`);
    assert.match((await failing(peer, { code })).message, refused);
    const computed = `const args2 = JSON.parse(${JSON.stringify(JSON.stringify(args))}); return await mcp["db:top"](args2)`;
    assert.match((await failing(peer, { code: computed })).message, message);
    const { isError, content } = await peer.call('mcp__db__top', args);
    assert.ok(isError);
    assert.match(content[0].text.replaceAll('\\"', '"'), message);
  }
  assert.equal(await count(), before);
});

test('a statement that changes something stays as it was written', async () => {
  const code = `await mcp.db.execute_sql({ query: "delete from customers where city = 'Nowhere' and total > 7" }); return "done";`;
  await execute(peer, { code, name: 'db:purge', intent: 'purge' });
  const tools = await peer.list('tools/list', 'tools');
  const { inputSchema } = tools.find(({ name }: Loose) => name === 'mcp__db__purge');
  assert.deepEqual(inputSchema.properties ?? {}, {});
});
