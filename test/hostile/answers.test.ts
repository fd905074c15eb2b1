/** Huge data from a user or a server: every page and answer stays small enough to be sent, and other users are served. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { upReady } from '../support/servers-ready.ts';

const LIMIT = 1_000_000;
const LONG = 'x'.repeat(1_500_000);
/** Text that doubles in JSON, and quadruples in JSON within JSON. */
const QUOTES = '"\\'.repeat(200_000);

const pml = new Pml({ after }, { mcpServers: { much: fixtureServer('hostile-lists.ts') } });
let ana: Peer;
let ben: Peer;
before(async () => {
  const url = await upReady(pml);
  ana = await connectPeer(pml, 'SDK v2 legacy', 'HTTP', url);
  ben = await connectPeer(pml, 'SDK v1', 'stdio', url, { env: { PML_USER: 'ben' } });
});

function assertSmall(answer: unknown, what: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  assert.ok(bytes < LIMIT, `${what}: ${bytes} bytes`);
}

/** Reads all pages, each of which must be small. */
async function pages(peer: Peer, method: string, key: string): Promise<Loose[]> {
  const items: Loose[] = [];
  for (let cursor: string | undefined, count = 0; count === 0 || cursor !== undefined; count++) {
    const page = await peer.request(method, cursor === undefined ? {} : { cursor });
    assertSmall(page, `${method}, page ${count}`);
    items.push(...page[key]);
    cursor = page.nextCursor;
  }
  return items;
}

const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

async function assertNeighbourWorks(): Promise<void> {
  for (const [method, key] of Object.entries(LISTS)) await pages(ben, method, key);
  assert.deepEqual((await ben.call('much:echo', { text: 'still' })).content, [
    { type: 'text', text: 'still' },
  ]);
  assert.deepEqual(ben.errors, []);
}

test('every page of every list is small, and ordinary items are unchanged', async () => {
  for (const peer of [ana, ben]) {
    const tools = await pages(peer, 'tools/list', 'tools');
    const named = (name: string) => tools.find((tool) => tool.name === `mcp__much__${name}`);
    assert.deepEqual(named('echo'), {
      name: 'mcp__much__echo',
      description: 'Says it again',
      inputSchema: { type: 'object' },
    });
    assert.match(named('long').description, /^x{2000}… \(598000 characters left out\)$/);
    assert.deepEqual(named('wide').inputSchema, { type: 'object' });
    assert.equal(tools.filter(({ name }) => name.startsWith('mcp__much__')).length, 69);
    const prompts = await pages(peer, 'prompts/list', 'prompts');
    assert.equal(prompts.length, 3);
    const resources = await pages(peer, 'resources/list', 'resources');
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['plain://long', 'plain://one'],
    );
    const templates = await pages(peer, 'resources/templates/list', 'resourceTemplates');
    assert.deepEqual(
      templates.map(({ uriTemplate }) => uriTemplate),
      ['long://{one}', 'plain://{one}'],
    );
  }
  assert.ok((ana.instructions() ?? '').length <= 8000);
});

/** The text fields of each tool's input, each filled with far too much text. */
const FIELDS: [string, (text: string) => object][] = [
  ['pml_execute', (text) => ({ intent: text })],
  ['pml_execute', (text) => ({ intent: text, code: 'return 1', name: 'my:intent' })],
  ['pml_execute', (text) => ({ intent: 'x', code: `return ${JSON.stringify(text)}.length` })],
  ['pml_execute', (text) => ({ intent: 'x', code: 'return args.a.length', args: { a: text } })],
  ['pml_execute', (text) => ({ intent: 'x', code: 'throw new Error(args.a)', args: { a: text } })],
  ['pml_execute', (text) => ({ intent: 'x', code: 'console.log(args.a)', args: { a: text } })],
  ['pml_execute', (text) => ({ intent: 'x', code: 'return 2', name: text })],
  ['pml_execute', (text) => ({ intent: 'x', capability: text })],
  ['pml_execute', (text) => ({ intent: 'x', [text]: 1 })],
  [
    'pml_execute',
    (text) => ({ intent: 'x', code: `return mcp.much.fails({}); // ${text.slice(0, 100_000)}` }),
  ],
  ['pml_discover', (intent) => ({ intent })],
  ['pml_discover', (text) => ({ intents: [text, text] })],
  ['pml_discover', (server) => ({ intent: 'x', server })],
  ['cap_lookup', (name) => ({ name })],
  ['cap_whois', (name) => ({ name })],
  ['cap_history', (name) => ({ name })],
  ['cap_stats', (name) => ({ name })],
  ['cap_stats', (since) => ({ since })],
  ['cap_list', (pattern) => ({ pattern })],
  ['cap_list', (tag) => ({ tags: [tag] })],
  ['cap_rename', (description) => ({ name: 'my:field', description })],
  ['cap_rename', (new_name) => ({ name: 'my:field', new_name })],
  ['cap_rename', (tag) => ({ name: 'my:field', tags: [tag] })],
  ['cap_update', (text) => ({ name: 'my:field', code: `return ${JSON.stringify(text)}` })],
  ['cap_update', (text) => ({ name: 'my:field', code: 'return 3', change_summary: text })],
  ['cap_update', (text) => ({ name: 'my:field', code: 'return 3', version_tag: text })],
  ['cap_fork', (name) => ({ source: 'my:field', name })],
  ['cap_merge', (name) => ({ sources: ['my:field', 'my:field'], name })],
  ['cap_retire', (name) => ({ name })],
  ['cap_restore', (name) => ({ name })],
  ['cap_verify', (name) => ({ name })],
  ['much:nothing', (text) => ({ text })],
];

test('every tool answers briefly whatever fills its fields, and a neighbour is served', async () => {
  await ana.call('pml_execute', { intent: 'make it', code: 'return args.a ?? 0', name: 'my:field' });
  for (const [tool, input] of FIELDS) {
    for (const text of [LONG, QUOTES, 'x'.repeat(9000)]) {
      // A refusal is an answer, too.
      const call = ana.call(tool, input(text)).catch((error: Error) => ({ message: error.message }));
      assertSmall(await call, `${tool} ${Object.keys(input(''))}`);
    }
  }
  const { structuredContent: list } = await ana.call('cap_list', { limit: 1000 });
  for (const { name } of list.capabilities.slice(0, 30)) {
    for (const tool of ['cap_whois', 'cap_lookup', 'cap_history', 'cap_stats'])
      assertSmall(await ana.call(tool, { name }), `${tool} ${name}`);
    // Stored data that the neighbour sees too.
    await ana.call('cap_rename', { name, visibility: 'project' });
  }
  await assertNeighbourWorks();
});

test('an intent of 12 MB that the whole project sees closes no connection', async () => {
  const intent = 'i'.repeat(12_000_000);
  await ana.call('pml_execute', { intent, code: 'return "of 12 MB"', name: 'my:twelve' }).catch(() => {});
  await ana.call('cap_rename', { name: 'my:twelve', visibility: 'project' });
  await assertNeighbourWorks();
});

test('a hundred capabilities with long descriptions are listed on small pages', async () => {
  const description = 'long '.repeat(2000);
  for (let i = 0; i < 100; i++) {
    const name = `long:n${String(i).padStart(3, '0')}`;
    await ana.call('pml_execute', { intent: 'x', code: `return ${i} + "${name}"`, name });
    await ana.call('cap_rename', { name, description, visibility: 'project' });
  }
  const listed = (await pages(ben, 'tools/list', 'tools')).filter(({ name }) =>
    name.startsWith('mcp__long__'),
  );
  assert.equal(listed.length, 100);
  const names = new Set<string>();
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { structuredContent } = await ben.call('cap_list', { namespace: 'long', limit: 1000, offset });
    assertSmall({ structuredContent, text: JSON.stringify(structuredContent) }, 'cap_list');
    for (const { name } of structuredContent.capabilities) names.add(name);
    assert.equal(structuredContent.total, 100);
    offset = structuredContent.next_offset;
  }
  assert.equal(names.size, 100);
  assertSmall(
    await ben.call('pml_execute', { intent: 'something long that takes a property' }),
    'suggestions',
  );
});

test('an answer that is nested too deeply fails that call alone, on every transport', async () => {
  const peers = [ana, ben, await connectPeer(pml, 'SDK v2 modern', 'HTTP', (await pml.status()).http[0])];
  for (const peer of peers) {
    const call = peer.call('much:deep', { levels: 20_000 });
    await assert.rejects(call, /The answer is nested too deeply: more than 1000 levels/);
    const { structuredContent } = await peer.call('much:deep', { levels: 500 });
    assert.equal(JSON.stringify(structuredContent).length, 500 * 6 + 1);
    const code = 'return Object.keys(await mcp.much.deep({ levels: 20000 }))';
    const { structuredContent: failed } = await peer.call('pml_execute', { intent: 'x', code });
    assert.match(failed.error.message, /answer of much:deep is nested too deeply/);
  }
});

test('arguments that are nested too deeply are refused with advice', async () => {
  const session = await new RawSession(pml).initialize();
  const args = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  for (const name of ['much:echo', 'pml_execute', 'my:field']) {
    session.write(
      `{"jsonrpc":"2.0","id":"${name}","method":"tools/call","params":{"name":"${name}","arguments":{"intent":"x","args":${args}}}}\n`,
    );
    assert.match(textOf(await session.answerTo(name)), /The request is nested too deeply.*JSON in a text/);
  }
  assert.equal(textOf(await session.call('much:echo', { text: 'next' })), 'next');
});

test('an answer larger than a client on stdio takes fails that call alone', async () => {
  await assert.rejects(
    ben.call('much:big', { bytes: 12_000_000 }),
    /has 120\d+ bytes, and clients on stdio take/,
  );
  assert.equal((await ben.call('much:big', { bytes: 9_000_000 })).content[0].text.length, 9_000_000);
  assert.equal((await ana.call('much:big', { bytes: 12_000_000 })).content[0].text.length, 12_000_000);
  await assertNeighbourWorks();
});

test('the largest allowed result arrives on stdio, and a larger limit cannot be set', async () => {
  const code = 'return args.c.repeat(args.n)';
  const run = (c: string, n: number, max_result_bytes: number) =>
    ben.call('pml_execute', { intent: 'x', code, args: { c, n }, options: { max_result_bytes } });
  // Each quote is one byte, two in the result's JSON, and four in the text of the answer.
  const { structuredContent } = await run('"', 1_499_000, 3_000_000);
  assert.equal(structuredContent.result.length, 1_499_000);
  const over = await run('x', 3_100_000, 3_000_000);
  assert.equal(over.structuredContent.truncated.bytes, 3_100_002);
  assert.ok(over.structuredContent.result.length > 2_900_000);
  const asked = await run('x', 1, 3_000_001);
  assert.match(asked.structuredContent.error.message, /"options.max_result_bytes": .*3000000/);
});
