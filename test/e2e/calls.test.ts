import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MEDIA } from '../fixtures/fixture-legacy-tools.ts';
import { connectPeer, EACH_CLIENT, type Loose, type Peer, TRANSPORTS } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  { mcpServers: { 'my-shop': fixtureServer('fixture-legacy.ts', '--name', 'shop') } },
);
let url: string;
let raw: RawClient;

before(async () => {
  url = await upReady(pml);
  raw = await RawClient.open(pml);
});

for (const { kind, transport } of EACH_CLIENT) {
  describe(`${kind} over ${transport}`, () => {
    let peer: Peer;
    before(async () => {
      peer = await connectPeer(pml, kind, transport, url);
    });

    test('lists the tools under portable names, in one order', async () => {
      const names = (await peer.toolNames()).filter((name) => name.startsWith('mcp__'));
      assert.ok(names.includes('mcp__my-shop__echo'));
      assert.deepEqual(names, names.toSorted());
      assert.equal(new Set(names).size, names.length);
    });

    test('calls a tool by every spelling of its name', async () => {
      const spellings = [
        'mcp__my-shop__put',
        'my-shop:put',
        'mcp:my-shop:put',
        'my_shop:put',
        'myShop:put',
        'MY-SHOP:PUT',
        'mcp__my_shop__put',
        'my_shop_put',
        'myShopPut',
      ];
      for (const name of spellings) {
        const { structuredContent } = await peer.call(name, { value: name });
        assert.deepEqual(structuredContent, { kept: name });
      }
    });

    test('gets a suggestion when it misspells a name', async () => {
      await assert.rejects(peer.call('mcp__my-shop__ecko'), (error: Loose) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, /Unknown tool: mcp__my-shop__ecko\. Did you mean "mcp__my-shop__echo"\?/);
        return true;
      });
      await assert.rejects(peer.call('nothing_like_it_at_all'), /Unknown tool: nothing_like_it_at_all$/);
    });

    test('gets structured content unchanged', async () => {
      const args = { word: 'ü', list: [1, null, { deep: [true] }], big: 1e21, 'x-odd': '' };
      const result = await peer.call('my-shop:echo', args);
      assert.deepEqual(result.structuredContent, { server: 'shop', args });
      assert.deepEqual(JSON.parse(result.content[0].text), { server: 'shop', args });
      assert.equal(result['x-result'], 'kept');
    });

    test('gets images, audio, resources and links unchanged', async () => {
      const { content } = await peer.call('my-shop:media');
      assert.equal(JSON.stringify(content), JSON.stringify(MEDIA));
    });

    test('gets a failed result as a result', async () => {
      const result = await peer.call('my-shop:fails');
      assert.equal(result.isError, true);
      assert.deepEqual(result.structuredContent, { why: 'on purpose' });
    });

    test('gets a protocol error with its code and data', async () => {
      await assert.rejects(peer.call('my-shop:explodes'), (error: Loose) => {
        assert.equal(error.code, -32077);
        assert.match(error.message, /It exploded$/);
        assert.deepEqual(error.data, { where: ['here', 1], nested: { deep: null } });
        return true;
      });
    });

    test('sends and gets metadata', async () => {
      const result = await peer.request('tools/call', {
        name: 'my-shop:echo',
        arguments: {},
        _meta: { 'my/key': { nested: [1] }, traceparent: '00-abc-def-01' },
      });
      const received = result._meta['fixture/received'];
      assert.deepEqual(received['my/key'], { nested: [1] });
      assert.equal(received.traceparent, '00-abc-def-01');
      assert.equal(result._meta['fixture/answer'], 42);
    });

    test('lists every key of a tool, known or not, and its schema unchanged', async () => {
      const listed = (await peer.list('tools/list', 'tools')).find(
        ({ name }) => name === 'mcp__my-shop__echo',
      );
      const { execution, ...own } = await ownListing('echo');
      // The newer era has no `execution`, and its SDK removes it from messages.
      const known = kind === 'SDK v2 modern' ? own : { ...own, execution };
      assert.deepEqual(listed, { ...known, name: 'mcp__my-shop__echo' });
    });
  });
}

for (const transport of TRANSPORTS) {
  test(`several megabytes go both ways over ${transport}`, async () => {
    const peer = await connectPeer(pml, transport === 'stdio' ? 'SDK v1' : 'SDK v2 modern', transport, url);
    // An SDK client accepts 10 MB at most, and this text comes back twice.
    const big = 'ü✓'.repeat(512 * 1024);
    const { structuredContent } = await peer.call('my-shop:echo', { big });
    assert.equal(structuredContent.args.big, big);
  });
}

for (const [asked, answered] of [
  ['2024-11-05', '2024-11-05'],
  ['2025-03-26', '2025-03-26'],
  ['2025-06-18', '2025-06-18'],
  ['1999-01-01', '2025-11-25'],
] as const) {
  test(`a client that speaks ${asked} is answered in ${answered}`, async () => {
    const client = await RawClient.open(pml, { version: asked });
    assert.equal(JSON.parse(client.lines[0] as string).result.protocolVersion, answered);
    const { result } = await client.send(1, 'tools/call', { name: 'my-shop:pid', arguments: {} });
    assert.ok(result.structuredContent.pid > 0);
  });
}

test("the SDKs' own methods work as they do without PML in between", async () => {
  const v1 = new ClientV1({ name: 'test', version: '1' });
  await v1.connect(new HttpV1(new URL(`${url}/mcp`)) as TransportV1);
  const clients = [
    v1 as unknown as Client,
    await pml.stdio(),
    await pml.http(url),
    await pml.http(url, { versionNegotiation: { mode: 'auto' } }),
  ];
  for (const client of clients) {
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'mcp__my-shop__echo'));
    // The client validates the answer against the listed output schema.
    const result = await client.callTool({ name: 'mcp__my-shop__echo', arguments: { word: 'x' } });
    assert.deepEqual(result.structuredContent, { server: 'shop', args: { word: 'x' } });
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['mcp__my-shop__greet'],
    );
    const { contents } = await client.readResource({ uri: 'fixture://readme' });
    assert.equal((contents[0] as Loose).text, 'readme of shop');
  }
  await v1.close();
});

/** Lists the tools of the server directly, without PML in between. */
async function ownListing(name: string): Promise<Loose> {
  const { listTools } = await import('../fixtures/fixture-legacy-lists.ts');
  return listTools([name])[0];
}

test('a tool is relayed byte for byte, in list and result', async () => {
  const { result } = await raw.send('l', 'tools/list');
  const listed = result.tools.find(({ name }: Loose) => name === 'mcp__my-shop__echo');
  const expected = { ...(await ownListing('echo')), name: 'mcp__my-shop__echo' };
  assert.equal(JSON.stringify(listed), JSON.stringify(expected));
  await raw.send('m', 'tools/call', { name: 'my-shop:media', arguments: {} });
  assert.ok(raw.lines.at(-1)?.includes(JSON.stringify(MEDIA)));
});

test('a schema with a combiner at its root is shown as a plain object, and still checked by the server', async () => {
  const { result } = await raw.send('list', 'tools/list');
  const schemas = Object.fromEntries(result.tools.map(({ name, inputSchema }: Loose) => [name, inputSchema]));
  for (const name of ['either', 'one_of', 'all_of']) {
    const schema = schemas[`mcp__my-shop__${name}`];
    assert.equal(schema.type, 'object');
    for (const key of ['anyOf', 'oneOf', 'allOf']) assert.ok(!(key in schema), `${name} shows ${key}`);
  }
  const { required, ...either } = schemas['mcp__my-shop__either'];
  assert.deepEqual(either, {
    type: 'object',
    $defs: { kept: { type: 'boolean' } },
    'x-root': 'kept',
    properties: { id: { type: 'number' }, name: { type: 'string' } },
  });
  assert.deepEqual(required ?? [], []);
  assert.deepEqual(Object.keys(schemas['mcp__my-shop__one_of'].properties), ['a', 'b']);
  assert.deepEqual(schemas['mcp__my-shop__all_of'].required, ['a', 'b']);

  const right = await raw.send('right', 'tools/call', { name: 'my-shop:either', arguments: { id: 7 } });
  assert.deepEqual(right.result.structuredContent, { args: { id: 7 } });
  const wrong = await raw.send('wrong', 'tools/call', { name: 'my-shop:either', arguments: {} });
  assert.equal(wrong.result.isError, true);
  assert.equal(wrong.result.content[0].text, 'needs id or name');
});

test('requests with the same id in two sessions do not mix', async () => {
  const other = await RawClient.open(pml);
  const [mine, theirs] = await Promise.all([
    raw.send(1, 'tools/call', { name: 'my-shop:echo', arguments: { who: 'mine' } }),
    other.send(1, 'tools/call', { name: 'my-shop:echo', arguments: { who: 'theirs' } }),
  ]);
  assert.equal(mine.result.structuredContent.args.who, 'mine');
  assert.equal(theirs.result.structuredContent.args.who, 'theirs');
});

test('an unknown method is refused as such', async () => {
  const { error } = await raw.send('u', 'no/such/method');
  assert.equal(error.code, -32601);
});
