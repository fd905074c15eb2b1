import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let ana: Peer;
  let ben: Peer;
  const run = async (code: string, args?: object): Promise<Loose> =>
    (await execute(ana, { code, ...(args && { args }) })).result;

  before(async () => {
    [ana, ben] = await Promise.all([asUser(bed, 'ana'), asUser(bed, 'ben')]);
    await execute(ana, { name: 'fs:read_json', code: 'return "first " + args.x', args: { x: 1 } });
    await ask(ana, 'cap_update', {
      name: 'fs:read_json',
      code: 'return "second " + args.x',
      args: { x: 1 },
    });
    await execute(ana, {
      name: 'fs:path',
      code: 'return (await mcp.work.read({ path: args.path })).path',
      args: { path: 'p' },
    });
    await execute(ana, { name: 'open:one', code: 'return "open " + args.y', args: { y: 1 } });
    await ask(ana, 'cap_rename', { name: 'open:one', visibility: 'project', tags: ['shared'] });
  });

  test('spec AC10: code calls by name: with a prefix, a version, a tool, a name that only the run knows', async () => {
    assert.equal(await run('return mcp.call("cap:fs:read_json", { x: 1 })'), 'second 1');
    assert.equal(await run('return mcp.call("fs:read_json@1", args)', { x: 2 }), 'first 2');
    assert.equal((await run('return mcp.call("work:read", { path: "a" })')).path, 'a');
    assert.equal(await run('return mcp.call(args.name, { x: 3 })', { name: 'fs:read_json@v1' }), 'first 3');
    assert.equal(
      await run('const { call } = mcp; return call(args.name, { path: "q" })', { name: 'fs:path' }),
      'q',
    );
    const unknown = await failing(ana, { code: 'return mcp.call("fs:read_jsn", {})' });
    assert.match(unknown.message, /^Not found: fs:read_jsn .*Did you mean fs:read_json\?/);
    const dynamic = await failing(ana, { code: 'return mcp.call("fs:" + "nope")' });
    assert.match(dynamic.message, /There is no tool or capability "fs:nope"/);
    const many = await failing(ana, {
      code: 'return mcp.call(args.name, {}, {})',
      args: { name: 'fs:path' },
    });
    assert.match(many.message, /takes one object with named arguments; 2 were given/);
  });

  test('a call by name is stored as any reference: renames do not break it, and data becomes a parameter', async () => {
    const code = 'return mcp.call("fs:path", { path: "one.json" })';
    await execute(ana, { name: 'by:name', code });
    const same = await execute(ana, { code: 'return mcp.fs.path({ path: "two.json" })' });
    assert.deepEqual([same.capabilityName, same.result], ['by:name', 'two.json']);
    await ask(ana, 'cap_rename', { name: 'fs:path', new_name: 'fs:way' });
    assert.equal((await execute(ana, { capability: 'by:name', args: { path: 'x' } })).result, 'x');
    const record = await ask(ana, 'cap_whois', { name: 'by:name' });
    assert.ok(record.code.includes('mcp.fs.way('), record.code);
    assert.deepEqual(record.tools_used, ['fs:way', 'work:read']);
  });

  test('spec AC12: code reads the registry as the tools answer, with the same visibility', async () => {
    for (const [read, tool, input] of [
      ['lookup', 'cap_lookup', { name: 'open:one' }],
      ['whois', 'cap_whois', { name: 'open:one' }],
      ['history', 'cap_history', { name: 'fs:read_json' }],
      ['query', 'cap_list', { created_by: 'an*', tags: ['shared'] }],
    ] as const) {
      const code = `return pml.${read}(args)`;
      assert.deepEqual(await run(code, input), await ask(ana, tool, input), read);
    }
    assert.equal(await run('return (await pml.lookup("fs:read_json@1")).version'), 1);
    const seen = await execute(ben, {
      code: 'return (await pml.query({})).capabilities.map(({ name }) => name)',
    });
    assert.ok(seen.result.includes('open:one') && !seen.result.includes('fs:read_json'));
    const hidden = await failing(ben, { code: 'return pml.whois("fs:read_json")' });
    assert.match(hidden.message, /^ToolError: Capability not found: fs:read_json \(line 1/);
    const caught = 'try { await pml.lookup("no:such") } catch ({ code }) { return code }';
    assert.equal(await run(caught), 'capability_not_found');
    const wrong = await failing(ana, { code: 'return pml.query({ limit: -1 })' });
    assert.match(wrong.message, /Wrong arguments for cap_list: "limit"/);
    assert.equal(await run('return Object.keys(pml).join()'), 'lookup,query,history,whois,result');
  });

  test('a read is no call of the procedure, and a replay answers it from the recording', async () => {
    const code = `const { usage_count } = await pml.lookup("open:one");
      const { path } = await mcp.work.read({ path: "a" });
      return path + usage_count`;
    const made = await execute(ana, { name: 'my:reader', code });
    assert.deepEqual(made.toolsUsed, ['work:read']);
    for (let turn = 0; turn < 3; turn++) await ana.call('open:one', { y: 2 });
    const { verified, runs } = await ask(ana, 'cap_verify', { name: 'my:reader' });
    assert.deepEqual([verified, runs.map(({ differences }: Loose) => differences)], [true, [[]]]);
    assert.notEqual((await execute(ana, { capability: 'my:reader' })).result, made.result);
    const update = { name: 'my:reader', code: code.replace('open:one', 'fs:way') };
    const { replay } = await ask(ana, 'cap_update', update);
    assert.match(replay.differences.join(), /It calls pml\.lookup with .*"fs:way"/);
  });

  test('per_layer_validation is accepted, and the answer says that it has no effect', async () => {
    const warning = /^options\.per_layer_validation has no effect/;
    const options = { per_layer_validation: true, timeout: 20_000 };
    const ran = await execute(ana, { code: 'return "layers " + args.z', args: { z: 1 }, options });
    assert.deepEqual([ran.result, ran.warnings.length], ['layers 1', 1]);
    assert.match(ran.warnings[0], warning);
    const called = await execute(ana, {
      capability: 'open:one',
      args: { y: 1 },
      options: { perLayerValidation: false },
    });
    assert.match(called.warnings.at(-1), warning);
    assert.equal('warnings' in (await execute(ana, { capability: 'open:one', args: { y: 1 } })), false);
  });

  test('two programs that read different records are two capabilities', async () => {
    const reads = (name: string) =>
      execute(ana, { code: `return [(await pml.lookup("${name}")).version, await mcp.work.kept()]` });
    const [one, two] = [await reads('open:one'), await reads('fs:read_json')];
    assert.notEqual(one.capabilityName, two.capabilityName);
  });

  test('the code of a merge calls its sources as functions', async () => {
    const code =
      'const text = await cap_fs_read_json({ x: args.x });\nreturn [text, await cap_open_one({ y: 5 })]';
    await ask(ana, 'cap_merge', {
      sources: ['fs:read_json@v1', 'open:one'],
      name: 'my:both',
      code,
    });
    assert.deepEqual((await execute(ana, { capability: 'my:both', args: { x: 7 } })).result, [
      'first 7',
      'open 5',
    ]);
    const made = await ask(ana, 'cap_whois', { name: 'my:both' });
    assert.match(made.code, /mcp\["fs:read_json@v1"\]\(\{ x: args\.x \}\)/);
    await ask(ana, 'cap_fork', { source: 'open:one', name: 'open-one' });
    const twins = {
      sources: ['open-one', 'open:one'],
      name: 'my:twins',
      code: 'return cap_open_one({ y: 1 })',
    };
    assert.match(await refusal(ana, 'cap_merge', twins), /^ambiguous_name: More than one source/);
  });
});
