import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, TestBed } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const bed = new TestBed({
  mcpServers: { work: fixtureServer('fixture-work.ts'), old: fixtureServer('fixture-legacy.ts') },
});
let ana: Peer;
let ben: Peer;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const ROWS = `await mcp.work.keep({ item: "made" });
  return Array.from({ length: args.n as number }, (_, id) => ({ id, text: "row " + id }))`;

before(async () => {
  [ana, ben] = await Promise.all([asUser(bed, 'ana'), asUser(bed, 'ben')]);
});

test('a remembered run says how to call it: by pml_execute, and as a tool once it has a name', async () => {
  const code = 'return (await mcp.work.read({ path: "a.json" })).path';
  const named = await execute(ana, { code, name: 'fs:path_of' });
  const { name, tool, call, parameters } = named.remembered;
  assert.deepEqual([name, tool], ['fs:path_of', 'mcp__fs__path_of']);
  assert.deepEqual(Object.keys(parameters.properties), ['path']);
  // The call is sent as it is written, by a client that has not listed the tools again.
  const [, sent] = /^pml_execute\((.*)\)$/.exec(call) ?? [];
  const again = await execute(ana, JSON.parse(sent as string));
  assert.deepEqual([again.mode, again.result, again.capabilityName], ['capability', 'a.json', 'fs:path_of']);
  assert.equal((await ana.call(tool, { path: 'b.json' })).content[0].text, 'b.json');
  assert.equal(again.remembered, undefined);
  const unnamed = await execute(ana, { code: 'return (await mcp.work.read({ path: "c" })).encoding' });
  assert.equal(unnamed.remembered.tool, null);
  assert.equal(unnamed.remembered.name, unnamed.capabilityName);
  assert.equal(
    (await execute(ana, { code: 'return 1', options: { remember: false } })).remembered,
    undefined,
  );
});

test('the text of an answer ends with what a model has little use for', async () => {
  const { content } = await ana.call('pml_execute', {
    intent: 'x',
    code: 'return "the result"',
    name: 'my:text',
  });
  const keys = Object.keys(JSON.parse(content[0].text));
  assert.deepEqual(keys, [
    ...['status', 'mode', 'result', 'remembered', 'toolsUsed'],
    ...['capabilityName', 'capabilityId', 'capabilityFqdn', 'executionTimeMs'],
  ]);
});

test('tools that change a record answer it without code and schema', async () => {
  await execute(ana, { code: 'return args.x', args: { x: 1 }, name: 'rec:one' });
  await execute(ana, { code: 'return [args.y]', args: { y: 1 }, name: 'rec:two' });
  for (const [tool, input] of [
    ['cap_rename', { name: 'rec:one', description: 'Gives back x' }],
    ['cap_fork', { source: 'rec:one', name: 'rec:copy' }],
    ['cap_merge', { sources: ['rec:one', 'rec:two'], name: 'rec:both' }],
    ['cap_feedback', { name: 'rec:copy', success: true }],
    ['cap_retire', { name: 'rec:copy' }],
    ['cap_restore', { name: 'rec:copy' }],
  ] as const) {
    const record = await ask(ana, tool, input);
    for (const key of ['code', 'parameters_schema', 'output_schema'])
      assert.ok(!(key in record), `${tool}: ${key}`);
    assert.ok(record.display_name && record.version && record.fqdn, tool);
  }
  assert.match((await ask(ana, 'cap_whois', { name: 'rec:copy' })).code, /args\.x/);
});

test('a large result comes as a preview with counts, and later code reads the whole without running it again', async () => {
  const answer = await execute(ana, { code: ROWS, args: { n: 5000 } });
  const { result, truncated, warnings } = answer;
  assert.ok(bytesOf(result) <= 50_000 && result.length > 1000);
  assert.deepEqual(result[7], { id: 7, text: 'row 7' });
  assert.deepEqual(truncated.shown, [`result: ${result.length} of 5000 items`]);
  assert.ok(truncated.bytes > 130_000);
  assert.equal(Object.keys(answer)[0], 'warnings');
  assert.ok(warnings[0].includes(truncated.read) && warnings[0].includes(truncated.shown[0]));
  assert.equal(truncated.read, `await pml.result("${truncated.run}")`);
  const rest = await execute(ana, { code: `return (${truncated.read}).slice(4998)` });
  assert.deepEqual(
    rest.result.map(({ id }: Loose) => id),
    [4998, 4999],
  );
  assert.deepEqual([rest.toolsUsed, rest.truncated], [[], undefined]);
  const byObject = {
    code: 'return (await pml.result({ run: args.run })).length',
    args: { run: truncated.run },
  };
  assert.equal((await execute(ana, byObject)).result, 5000);
  // Called as a tool, or by name, a capability answers the same way.
  const { capabilityName } = answer;
  await ask(ana, 'cap_rename', { name: capabilityName, new_name: 'rows:make' });
  const named = await execute(ana, { capability: 'rows:make', args: { n: 5000 } });
  assert.equal(named.truncated.shown[0], truncated.shown[0]);
  const called = await ana.call('rows:make', { n: 5000 });
  assert.ok(bytesOf(called.content[0].text) < 100_000);
  assert.equal(JSON.parse(called.content[0].text).length, result.length);
  const [, run] = /pml\.result\("([^"]+)"\)/.exec(called.content[1].text) ?? [];
  assert.equal((await execute(ana, { code: `return (await pml.result("${run}")).length` })).result, 5000);
});

test('a result of many megabytes holds up nobody', async () => {
  const { truncated } = await execute(ana, { code: ROWS, args: { n: 200_000 } });
  assert.match(truncated.shown[0], /of 200000 items$/);
  // A turn of the event loop that takes too long fails this file when its daemon stops.
});

test('a kept result belongs to whoever ran the code, and what is not kept is said clearly', async () => {
  const { truncated } = await execute(ana, { code: ROWS, args: { n: 4000 } });
  const read = (peer: Peer, run: unknown) =>
    failing(peer, { code: 'return await pml.result(args.run)', args: { run } });
  const hidden = await read(ben, truncated.run);
  const invented = await read(ben, truncated.run.replace(/.{6}$/, 'abcdef'));
  assert.equal(hidden.message.replace(truncated.run, ''), invented.message.replace(/\w+-\w+abcdef/, ''));
  assert.match(hidden.message, /is not kept any more: .*10 minutes/);
  assert.match((await read(ana, '000000-123456')).message, /is not kept here: another process of PML/);
  assert.match((await read(ana, 7)).message, /takes the run of a truncated result/);
});

test('code that reads a kept result is not remembered, whether it says so or does so', async () => {
  const { truncated } = await execute(ana, { code: ROWS, args: { n: 4500 } });
  for (const code of [
    `return (await pml.result("${truncated.run}")).length`,
    `const { result } = pml; return (await result("${truncated.run}")).length`,
    `return (await pml["res" + "ult"]("${truncated.run}")).length`,
    `if (args.never) await pml.result("x"); return 4500`,
  ]) {
    const answer = await execute(ana, { code, name: 'reads:kept' });
    assert.equal(answer.result, 4500);
    assert.equal(answer.capabilityName, undefined, code);
    assert.match(answer.warnings[0], /^This code was not remembered\. It reads a kept result/);
  }
  await execute(ana, { code: 'return 1 + args.x', args: { x: 1 }, name: 'my:plain' });
  const code = `return await pml.result("${truncated.run}")`;
  assert.match(
    await refusal(ana, 'cap_update', { name: 'my:plain', code }),
    /cannot be kept\. It reads a kept result/,
  );
  const hidden = code.replace('.result', '["res" + "ult"]');
  const update = { name: 'my:plain', code: hidden, args: {} };
  assert.match(await refusal(ana, 'cap_update', update), /cannot be kept\. It reads a kept result/);
  const merge = { sources: ['my:plain', 'my:plain'], name: 'my:merged', code };
  assert.match(await refusal(ana, 'cap_merge', merge), /cannot be kept\. It reads a kept result/);
});

test('images and audio are content blocks, not base64 in JSON', async () => {
  const { content, structuredContent } = await ana.call('pml_execute', {
    intent: 'look',
    code: 'return { shots: await mcp.old.media({}) }',
    name: 'shots:take',
  });
  assert.deepEqual(
    content.map(({ type }: Loose) => type),
    ['text', 'image', 'audio', 'image'],
  );
  assert.ok(content[1].data.length > 50 && content[1].mimeType === 'image/png');
  assert.match(structuredContent.result.shots[0].data, /^\(image 1 of this answer: image\/png, \d+ bytes\)$/);
  assert.ok(!content[0].text.includes(content[1].data));
  const called = await ana.call('shots:take');
  assert.deepEqual(
    called.content.map(({ type }: Loose) => type),
    ['text', 'image', 'audio', 'image'],
  );
});

test('NaN and Infinity in a result warn', async () => {
  const { result, warnings } = await execute(ana, {
    code: 'return { mean: 0 / 0, list: [1, Infinity, -1 / 0] }',
    options: { remember: false },
  });
  assert.deepEqual(result, { mean: null, list: [1, null, null] });
  assert.equal(
    warnings[0],
    'JSON cannot hold NaN and Infinity, so they became null: result.mean is NaN, and 2 more like it.',
  );
});

test('pml run prints a result whole that a model would get in part', async () => {
  const { stdout } = await bed.pml.run(['run', 'rows:make', '--args', '{"n":5000}', '--json'], {
    env: { PML_USER: 'ana' },
  });
  assert.equal(JSON.parse(stdout).result.length, 5000);
});

test('the secrets of a kept result are in no row and no file, also when other code quotes them', async () => {
  const token = `canary${'0123456789abcdef'.repeat(2)}`;
  const code = `const { length } = await mcp.work.repos({ owner: "me", token: args.token });
    return { length, text: args.token, rows: Array(4000).fill("a row of some length") }`;
  const { truncated } = await execute(ana, { code, args: { token }, options: { remember: false } });
  // The error quotes the secret, which only the first run knew to be one.
  await failing(ana, { code: `throw new Error((${truncated.read}).text)` });
  const rows = await bed.rows('select error from tool_usage where error is not null');
  assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(token), JSON.stringify(rows));
  const log = join(bed.pml.home, 'log');
  const texts = readdirSync(log).map((file) => readFileSync(join(log, file), 'utf8'));
  assert.ok(!texts.join('').includes(token));
});
