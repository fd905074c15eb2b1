import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { attempt, eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { TOOLS_CHANGED } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore, type TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const config = { mcpServers: { hints: fixtureServer('fixture-hints.ts') } };

/** A client that validates answers by the schemas it was told, and does not list the tools again unless it is told to. */
interface ValidatingClient {
  outputSchemaOf(name: string): Promise<Loose>;
  call(name: string, args: object): Promise<Loose>;
}

async function validatingClients(bed: TestBed): Promise<Record<string, ValidatingClient>> {
  const url = new URL(`${await bed.url()}/mcp`);
  const v1 = new ClientV1({ name: 'test', version: '1' });
  await v1.connect(new HttpV1(url) as TransportV1);
  const legacy = new ClientV2({ name: 'test', version: '1' });
  await legacy.connect(new StreamableHTTPClientTransport(url));
  const modern = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await modern.connect(new StreamableHTTPClientTransport(url));
  for (const client of [v1, legacy, modern]) bed.pml.onClose(() => client.close());
  const of = (client: Loose): ValidatingClient => ({
    outputSchemaOf: async (name) =>
      (await client.listTools()).tools.find((tool: Loose) => tool.name === name)?.outputSchema,
    call: (name, args) => client.callTool({ name, arguments: args }),
  });
  return { v1: of(v1), legacy: of(legacy), modern: of(modern) };
}

onEachStore(config, (bed) => {
  let peer: Peer;
  let clients: Record<string, ValidatingClient>;
  const listed = async (name: string, by = peer) =>
    (await by.list('tools/list', 'tools')).find((tool) => tool.name === name);
  const declared = async (name: string) => (await listed(name))?.outputSchema;
  /** Waits until the list has this schema for a tool; whoever waits is told that the list changed. */
  const untilDeclared = (name: string, isDeclared = true) =>
    eventually(
      async () => ((await declared(name)) !== undefined) === isDeclared,
      `${name} declared: ${isDeclared}`,
    );

  before(async () => {
    peer = await bed.peer();
    clients = await validatingClients(bed);
  });

  test('what a capability returns is declared once it is stable, and clients hear of it', async () => {
    const code = 'return { id: args.id, found: await mcp.hints.look({ q: args.q }) }';
    await execute(peer, { name: 'my:find', code, args: { id: 1, q: 'a' } });
    for (const id of [2, 3]) {
      const { structuredContent } = await peer.call('mcp__my__find', { id, q: 'b' });
      assert.deepEqual(structuredContent, { id, found: { did: 'look', q: 'b' } });
    }
    assert.equal(await declared('mcp__my__find'), undefined, 'three results are not enough');
    peer.notifications.clear();
    await peer.call('mcp__my__find', { id: 4, q: 'c' });
    await peer.notifications.until(TOOLS_CHANGED);
    await untilDeclared('mcp__my__find');
    assert.deepEqual(await declared('mcp__my__find'), {
      type: 'object',
      properties: {
        id: { type: 'number' },
        found: {
          type: 'object',
          properties: { did: { type: 'string' }, q: { type: 'string' } },
          required: ['did', 'q'],
        },
      },
    });
    const whois = await ask(peer, 'cap_whois', { name: 'my:find' });
    assert.deepEqual(whois.output_schema, await declared('mcp__my__find'));
    const suggested = await ask(peer, 'pml_execute', { intent: 'my find' });
    const { signature } = suggested.suggestions.find(({ name }: Loose) => name === 'my:find');
    assert.match(signature, /Promise<\{ .*id\?: number/);
  });

  test('the list does not change with every call', async () => {
    let round = 0;
    // On a busy machine the news of an earlier change may come only now.
    const heard = await attempt(
      async () => {
        round += 1;
        peer.notifications.clear();
        for (let id = 0; id < 10; id++) await peer.call('mcp__my__find', { id, q: 'same' });
        // Would come with the next change, which is another one.
        await execute(peer, { name: `my:marker${round}`, code: `return "marker ${round}"` });
        await peer.notifications.until(TOOLS_CHANGED);
        return peer.notifications.of(TOOLS_CHANGED).length;
      },
      (count) => count === 1,
    );
    assert.equal(heard, 1);
  });

  test('an answer that does not fit what a client was told is no error for the client', async () => {
    const code = `const r = await mcp.hints.look({});
      return args.odd === "text" ? "only text" : args.odd === "other" ? { id: "seven", name: "x", more: [1] } : { id: 7, name: "x", did: r.did };`;
    await execute(peer, { name: 'my:odd', code, args: { odd: '' } });
    for (let count = 0; count < 3; count++) await peer.call('mcp__my__odd', { odd: '' });
    await untilDeclared('mcp__my__odd');
    for (const client of Object.values(clients)) {
      assert.ok(await client.outputSchemaOf('mcp__my__odd'));
      assert.equal((await client.call('mcp__my__odd', { odd: '' })).structuredContent.id, 7);
    }
    for (const [kind, client] of Object.entries(clients)) {
      const { isError, structuredContent, content } = await client.call('mcp__my__odd', { odd: 'other' });
      assert.ok(!isError, kind);
      // Without the property that does not fit; the text has it.
      assert.deepEqual(structuredContent, { name: 'x', more: [1] }, kind);
      assert.deepEqual(JSON.parse(content[0].text), { id: 'seven', name: 'x', more: [1] });
      const text = await client.call('mcp__my__odd', { odd: 'text' });
      assert.deepEqual(
        [text.isError ?? false, text.structuredContent, text.content[0].text],
        [false, {}, 'only text'],
      );
    }
    await untilDeclared('mcp__my__odd', false);
    // Long after: these clients still have the list of before.
    for (const client of [clients.v1, clients.legacy, clients.modern] as ValidatingClient[]) {
      const { structuredContent } = await client.call('mcp__my__odd', { odd: 'other' });
      assert.deepEqual(structuredContent, { name: 'x', more: [1] });
    }
    // A client that has listed the tools again gets all of it.
    const { legacy } = clients as { legacy: ValidatingClient };
    assert.equal(await legacy.outputSchemaOf('mcp__my__odd'), undefined);
    const { structuredContent } = await legacy.call('mcp__my__odd', { odd: 'other' });
    assert.deepEqual(structuredContent, { id: 'seven', name: 'x', more: [1] });
  });

  test("others' results loosen a schema and add no name to it", async () => {
    const code = `const seen = await mcp.hints.look(args.extra ?? {}); return { ...seen, count: args.count === undefined ? 0 : args.count };`;
    await execute(peer, { name: 'my:shared', code });
    await ask(peer, 'cap_rename', { name: 'my:shared', visibility: 'project' });
    for (let count = 0; count < 3; count++) await peer.call('mcp__my__shared', {});
    await untilDeclared('mcp__my__shared');
    const ben = await asUser(bed, 'ben');
    const extra = { benssecretproject: 1 };
    for (let count = 0; count < 8; count++) await ben.call('mcp__my__shared', { extra });
    await ben.call('mcp__my__shared', { count: null, extra });
    await untilDeclared('mcp__my__shared', false);
    for (let count = 0; count < 40; count++) await ben.call('mcp__my__shared', { extra });
    await untilDeclared('mcp__my__shared');
    assert.deepEqual(await declared('mcp__my__shared'), {
      type: 'object',
      properties: { count: { type: ['null', 'number'] }, did: { type: 'string' } },
    });
    const rows = JSON.stringify(await ask(ben, 'cap_whois', { name: 'my:shared' }));
    assert.ok(!rows.includes('benssecret'));
  });

  test('data as keys is not declared', async () => {
    const code = 'return { byPerson: { [args.who]: 1 }, ok: true }';
    await execute(peer, { name: 'my:people', code, args: { who: 'ana@acme.example' } });
    for (const who of ['b@x.org', 'c@x.org', 'd@x.org']) await peer.call('mcp__my__people', { who });
    await untilDeclared('mcp__my__people');
    assert.deepEqual(await declared('mcp__my__people'), {
      type: 'object',
      properties: {
        byPerson: { type: 'object', additionalProperties: { type: 'number' } },
        ok: { type: 'boolean' },
      },
    });
  });

  const WORST = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const HINTS: [name: string, code: string, hints: object][] = [
    [
      'reads',
      'return [await mcp.hints.look({}), 1]',
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    [
      'searches',
      'return [await mcp.hints.look({}), await mcp.hints.search({})]',
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    ],
    [
      'adds',
      'return [await mcp.hints.look({}), await mcp.hints.add({})]',
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    ],
    [
      'sets',
      'return [await mcp.hints.set({}), 2]',
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    [
      'copies',
      'return await mcp.hints.set(await mcp.hints.look({}))',
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    ],
    [
      'drops',
      'return [await mcp.hints.look({}), await mcp.hints.drop({})]',
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    ],
    ['silent', 'return [await mcp.hints.look({}), await mcp.hints.silent({})]', WORST],
    ['computed', 'return [await mcp.hints[args.tool ?? "look"]({})]', WORST],
    ['hidden', 'return [await mcp.hints.look({}), globalThis["m" + "cp"] ? 1 : 0]', WORST],
    [
      'computes',
      'return [2 * (args.n ?? 1)]',
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    [
      'nested',
      'return [await mcp.does.nests({}), 3]',
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    ],
    [
      'nested_reads',
      'return [await mcp.does.reads({}), await mcp.hints.look({ n: 4 })]',
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
  ];

  test('hints are derived from the tools that a capability calls, itself or through others', async () => {
    await execute(peer, {
      name: 'does:nests',
      code: 'return { drops: await mcp.hints.drop({ why: "nested" }), n: args.n ?? 1 }',
    });
    for (const [name, code] of HINTS) await execute(peer, { name: `does:${name}`, code });
    for (const [name, , hints] of HINTS)
      assert.deepEqual((await listed(`mcp__does__${name}`))?.annotations, hints, name);
  });

  test('hints follow a new version of what is called', async () => {
    await ask(peer, 'cap_update', { name: 'does:reads', code: 'return [await mcp.hints.drop({}), 1]' });
    const drops = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
    assert.deepEqual((await listed('mcp__does__reads'))?.annotations, drops);
    const nested = {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    };
    assert.deepEqual((await listed('mcp__does__nested_reads'))?.annotations, nested);
  });
});
