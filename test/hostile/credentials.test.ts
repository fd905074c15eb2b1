/** One server, several credentials: its answers to one reach nobody else, now or after a restart. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freshDatabase } from '../../src/testing/postgres.ts';
import { ChoosyHttp } from '../fixtures/choosy-http.ts';
import { statusOf } from '../support/daemon.ts';
import { Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { usualDatabase } from '../support/usual-engine.ts';

/** A marker in everything that the server shows to the first key, and nowhere else. */
const CANARY = 'zanzibar';
const OTHER = 'montevideo';

const ana = { PML_USER: 'ana', KEY: 'good' };
const others = {
  'a key that the server refuses': { PML_USER: 'ben', KEY: 'bad' },
  'a key that is shown something else': { PML_USER: 'ben', KEY: 'also good' },
  'the same user with a refused key': { PML_USER: 'ana', KEY: 'bad' },
  'a refused key in another project': { PML_USER: 'ana', KEY: 'bad', PML_PROJECT: 'other' },
  'a refused key in another org': { PML_USER: 'eve', KEY: 'bad', PML_ORG: 'elsewhere' },
};

let shop: ChoosyHttp;
before(async () => {
  shop = await ChoosyHttp.open({ good: CANARY, 'also good': OTHER });
});
after(() => shop.close());

/** Everything that a client with this environment can see, as PML sent it. */
async function allThatIsShown(pml: Pml, env: Record<string, string>): Promise<string> {
  const client = await RawClient.open(pml, { env });
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    await client.send(method, method);
  const call = (id: string, name: string, args: object) =>
    client.send(id, 'tools/call', { name, arguments: args });
  await call('suggest', 'pml_execute', { intent: 'refund an order of the shop, and greet' });
  await call('misspelt', 'pml_execute', { intent: 'refund', code: 'return mcp.shop.refund({})' });
  await call('list', 'cap_list', {});
  await call('server', 'cap_whois', { name: 'mcp:shop' });
  await call('guess', 'shop:refund', {});
  await client.send('resource', 'resources/read', { uri: 'shop://orders' });
  await client.send('prompt', 'prompts/get', { name: 'shop:greet' });
  const { lines } = client;
  await client.close();
  return lines.join('\n');
}

async function assertNothingCrosses(pml: Pml): Promise<void> {
  for (const [what, env] of Object.entries(others)) {
    const shown = await allThatIsShown(pml, env);
    assert.ok(!shown.includes(CANARY), `${what}: ${shown}`);
    assert.equal(shown.includes(OTHER), env.KEY === 'also good', what);
  }
  const { workspaces } = await statusOf(pml);
  const servers = workspaces.flatMap(({ servers }) => servers);
  assert.ok(!JSON.stringify(servers).includes(CANARY));
  for (const { state, tools } of servers) assert.equal(tools, state === 'ready' ? 1 : 0);
}

function openPml(t: { after: typeof after }, env: Record<string, string> = {}): Pml {
  const headers = { 'x-api-key': `\${KEY}` };
  return new Pml(t, { mcpServers: { shop: { type: 'http', url: shop.url, headers } } }, env);
}

async function holds(first: Pml, second: Pml): Promise<void> {
  assert.ok((await allThatIsShown(first, ana)).includes(CANARY));
  await assertNothingCrosses(second);
  await first.run(['down']);
  await second.run(['down']);
  // From here on, only PML's memory of the server can leak.
  for (const pml of new Set([second, first])) await assertNothingCrosses(pml);
}

test('nothing crosses between credentials, users, projects and orgs', async (t) => {
  const pml = openPml(t as never, await usualDatabase());
  await holds(pml, pml);
});

test('nothing crosses between two daemons on one PostgreSQL', async (t) => {
  const databaseUrl = { PML_DATABASE_URL: await freshDatabase() };
  await holds(openPml(t as never, databaseUrl), openPml(t as never, databaseUrl));
});

test('the first key still sees its own tools while the server is down', async (t) => {
  const pml = openPml(t as never, await usualDatabase());
  await allThatIsShown(pml, ana);
  await pml.run(['down']);
  await shop.close();
  const shown = await allThatIsShown(pml, ana);
  for (const list of ['refund_', 'greet_', 'Say ', '/orders', '/{order}'])
    assert.ok(shown.includes(CANARY) && shown.includes(list), list);
});
