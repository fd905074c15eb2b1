import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { EACH_CLIENT, type Loose, type Peer } from '../support/clients.ts';
import { CHANGED, execute, type TestBed } from '../support/test-bed.ts';

const CAPABILITIES: Record<string, string> = {
  'code:analyze': 'return { analyzed: args.file as string, depth: (args.depth ?? 1) as number }',
  'code:refactor': 'return await mcp.work.read({ path: "src/main.ts" })',
  'data:transform': 'return (args.rows as number[]).map((row) => row * 2)',
  'data:count': 'return (args.rows as number[]).length',
  'test:slow': 'return await mcp.work.wait({ ms: 45 })',
};
const LISTED = Object.keys(CAPABILITIES).map((name) => `mcp__${name.replace(':', '__')}`);
const ARGS: Record<string, object> = {
  'code:analyze': { file: 'a.ts' },
  'data:transform': { rows: [1] },
  'data:count': { rows: [1] },
};

/** Declares the tests of story 13.3. Returns a function that declares the tests of the stored data. */
export function story133(bed: TestBed): () => void {
  let peer: Peer;
  let others: Peer[];

  before(async () => {
    [peer, ...others] = (await Promise.all([
      bed.peer(),
      ...EACH_CLIENT.map(({ kind, transport }) => bed.peer(kind, transport)),
    ])) as [Peer, ...Peer[]];
  });

  const listing = async (name: string): Promise<Loose> =>
    (await peer.list('tools/list', 'tools')).find((tool) => tool.name === name);

  test('FR027, 13.3 AC11: a capability is in the list of tools as soon as it has a name', async () => {
    for (const other of others) other.notifications.clear();
    for (const [name, code] of Object.entries(CAPABILITIES)) {
      const listed = `mcp__${name.replace(':', '__')}`;
      assert.ok(!(await peer.toolNames()).includes(listed));
      await execute(peer, { name, code, args: ARGS[name], intent: `the intent of ${name}` });
      assert.ok((await peer.toolNames()).includes(listed), listed);
    }
  });

  test('FR025, FR026, 13.3 AC10: every client hears that the list of tools changed', async () => {
    for (const other of others) {
      await other.notifications.until(CHANGED);
      assert.ok((await other.toolNames()).includes('mcp__code__analyze'));
      assert.deepEqual(other.errors, []);
    }
  });

  test('FR025, 13.3 AC10: an unnamed capability changes no list, and naming it does', async () => {
    const code = 'return await mcp.work.query({ sql: "SELECT 310" })';
    const [witness] = others as [Peer];
    const before = await peer.toolNames();
    await execute(peer, { code });
    assert.deepEqual(await peer.toolNames(), before);
    const count = witness.notifications.of(CHANGED).length;
    await execute(peer, { code, name: 'data:named_later' });
    await witness.notifications.until(CHANGED, count + 1);
    assert.ok((await witness.toolNames()).includes('mcp__data__named_later'));
  });

  test('FR025, FR026, 13.3 AC10: a capability that gets another name is listed by it, and everyone hears so', async () => {
    const counts = others.map((other) => other.notifications.of(CHANGED).length);
    await peer.call('cap_rename', { name: 'data:named_later', new_name: 'data:renamed' });
    for (const [at, other] of others.entries()) {
      await other.notifications.until(CHANGED, (counts[at] as number) + 1);
      const names = await other.toolNames();
      assert.ok(
        names.includes('mcp__data__renamed') && !names.includes('mcp__data__named_later'),
        other.kind,
      );
    }
  });

  test('FR022, FR024, 13.3 AC2, AC6: tools of three servers and of all capabilities are in one list, in a fixed order', async () => {
    const names = await peer.toolNames();
    for (const listed of LISTED) assert.ok(names.includes(listed), listed);
    for (const tool of ['mcp__work__read', 'mcp__old__echo', 'mcp__new__echo', 'pml_execute']) {
      assert.ok(names.includes(tool), tool);
    }
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(await peer.toolNames(), names);
    for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,54}$/);
  });

  test('FR034, 13.3 AC5: the input schema is that of the parameters, the description is the intent, and no FQDN is shown', async () => {
    const { inputSchema, description, title } = await listing('mcp__code__analyze');
    assert.equal(description, 'the intent of code:analyze');
    assert.equal(title, 'code:analyze');
    assert.deepEqual(inputSchema, {
      type: 'object',
      properties: { file: { type: 'string', examples: ['a.ts'] }, depth: { type: 'number', default: 1 } },
      required: ['file'],
      additionalProperties: false,
    });
    const lifted = await listing('mcp__code__refactor');
    // The tool's description of a parameter is kept.
    assert.deepEqual(lifted.inputSchema.properties.path, {
      type: 'string',
      description: 'path of work:read: The file to read',
      default: 'src/main.ts',
    });
    assert.doesNotMatch(JSON.stringify(await peer.list('tools/list', 'tools')), /local\.default\./);
  });

  test('FR023, 13.3 AC3: a capability is called as a tool, and answers as one', async () => {
    const result = await peer.call('mcp__code__analyze', { file: 'src/main.ts' });
    assert.ok(!result.isError);
    assert.deepEqual(result.structuredContent, { analyzed: 'src/main.ts', depth: 1 });
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    // Older clients accept only objects as structured content, so other values come as text alone.
    const list = await peer.call('mcp__data__transform', { rows: [1, 2] });
    assert.deepEqual(list, { content: [{ type: 'text', text: '[2,4]' }] });
  });

  test('FR021, FR024, 13.3 AC1, AC7: each spelling and each client reaches the capability, and its namespace is a server in code', async () => {
    const spellings = [
      'code:analyze',
      'cap:code:analyze',
      'mcp__code__analyze',
      'local.default.code.analyze',
    ];
    for (const [at, other] of others.entries()) {
      const name = spellings[at % spellings.length] as string;
      const { structuredContent } = await other.call(name, { file: 'x' });
      assert.deepEqual(structuredContent, { analyzed: 'x', depth: 1 }, `${name}, ${other.kind}`);
    }
    const code = 'return [await mcp.code.analyze({ file: "y" }), await mcp.data["count"]({ rows: [1, 2] })]';
    assert.deepEqual((await execute(peer, { code })).result, [{ analyzed: 'y', depth: 1 }, 2]);
  });

  test('13.3 AC4: a capability that does not exist is an error that the model reads', async () => {
    for (const name of ['mcp__code__nope', 'code:nope', 'cap:nope', 'cap:code:nope']) {
      const { isError, content, structuredContent } = await peer.call(name);
      assert.equal(isError, true);
      assert.equal(structuredContent.error.message, `Capability not found: ${name}`);
      assert.equal(content[0].type, 'text');
      assert.match(content[0].text, /Capability not found/);
    }
  });

  test('13.3 AC4: wrong arguments and failures inside are errors that the model reads', async () => {
    const wrong = await peer.call('mcp__code__analyze', { file: 1, extra: true });
    assert.equal(wrong.isError, true);
    assert.equal(
      wrong.structuredContent.error.message,
      'Wrong arguments for "code:analyze": "extra" is not one of its parameters; "file" must be string.',
    );
    const code = 'if (args.fail as boolean) throw new TypeError("inside");\nreturn "fine"';
    await execute(peer, { name: 'test:fails', code, args: { fail: false } });
    const inside = await peer.call('mcp__test__fails', { fail: true });
    assert.equal(inside.isError, true);
    assert.deepEqual(inside.structuredContent.error, {
      code: 'code_exception',
      message: 'Capability "test:fails" failed: TypeError: inside (line 1, column 33)',
    });
  });

  test('a tool of a server wins over a capability of its name that came before it', async () => {
    await execute(peer, { name: 'old:come_later', code: 'return "learned"' });
    assert.equal((await peer.call('old:come_later')).content[0].text, 'learned');
    const isReal = async () => (await listing('mcp__old__come_later'))?.title === undefined;
    await peer.call('old:change', { extra: 'come_later' });
    await eventually(isReal, 'the tool is listed');
    assert.equal((await peer.call('old:come_later')).content[0].text, 'extra come_later');
    const names = (await peer.toolNames()).filter((name) => name === 'mcp__old__come_later');
    assert.equal(names.length, 1);
  });

  test('13.3 AC8, AC9: a capability that takes a while, and one that fails, are called', async () => {
    assert.ok(!(await peer.call('mcp__test__slow')).isError);
    assert.equal((await peer.call('mcp__test__slow', { ms: 'long' })).isError, true);
  });

  return () => {
    test('FR028, FR029, FR030, 13.3 AC8, AC9: calls are in tool_usage, and their latency in the record', async () => {
      const usage = await bed.rows(
        `select u.tool, u.success, u.duration_ms, u.fqdn, u.user_id, u.error from tool_usage u
       where u.server_id = 'pml-capabilities' and u.tool = 'test:slow' order by u.called_at`,
      );
      assert.deepEqual(
        usage.map(({ success }) => success),
        [true, true, false],
      );
      assert.ok(usage[1].duration_ms >= 45);
      assert.match(usage[2].error, /"ms" must be number/);
      const [record] = await bed.rows('select * from capability_records where id = $1', [usage[0].fqdn]);
      // The last one had wrong arguments: nothing ran.
      const sum = usage.slice(0, 2).reduce((total, { duration_ms }) => total + duration_ms, 0);
      assert.ok(Math.abs(record.total_latency_ms - sum) < 0.01);
      assert.equal(record.usage_count, 2);
      assert.equal(record.success_count, 2);
      const waits = await bed.rows("select 1 from tool_usage where server_id = 'work' and tool = 'wait'");
      assert.equal(waits.length, 2);
    });
  };
}
