/** Story 13.4, each criterion as a test, through real clients. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { startModelServer } from '../support/model-server.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore, type TestBed } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const WORK = fixtureServer('fixture-work.ts');
const mcpServers = { filesystem: WORK, github: WORK };
const config = { mcpServers, curation: { threshold: 1000 } };

const model = await startModelServer({ after });
const ANTHROPIC = { ANTHROPIC_API_KEY: 'sk-ant-test-0123456789abcdef', ANTHROPIC_BASE_URL: model.url };
let made = 0;

/** Runs code of its own kind that nobody names, and returns what it became. */
async function unnamed(
  peer: Peer,
  intent: string,
  tool = 'filesystem.read({ path: "a.json" })',
): Promise<Loose> {
  made += 1;
  const code = `const found = await mcp.${tool}; return { kind${made}: found };`;
  const answer = await execute(peer, { intent, code });
  return { id: answer.capabilityId, name: answer.capabilityName };
}

/** Connects a user whose config has these settings for curation. */
function curatedBy(bed: TestBed, user: string, curation: object, env = {}): Promise<Peer> {
  const cwd = bed.pml.project(`of-${user}`, { mcpServers, curation: { threshold: 1000, ...curation } });
  return bed.peer('SDK v2 legacy', 'stdio', { cwd, env: { PML_USER: user, ...env } });
}

onEachStore(config, (bed) => {
  test('FR011, 13.4 AC1: suggest returns a suggestion for each unnamed capability, the same one each time', async () => {
    const peer = await asUser(bed, 'one');
    const intents = [
      'read the settings file',
      'load a user profile',
      'check the build log',
      'list old notes',
      'copy a report',
    ];
    const all: Loose[] = [];
    for (const intent of intents) all.push(await unnamed(peer, intent));
    const answer = await ask(peer, 'cap_curate', { mode: 'suggest' });
    assert.equal(answer.suggestions.length, 5);
    assert.deepEqual([answer.applied, answer.skipped], [[], []]);
    for (const one of answer.suggestions) {
      assert.equal(all.find(({ id }) => id === one.id)?.name, one.currentName);
      assert.match(one.currentName, /^unnamed_/);
      assert.match(one.suggestedName, /^[a-z0-9_-]+:[a-z0-9_-]+$/i);
      assert.ok(one.confidence >= 0 && one.confidence <= 1);
      assert.ok(one.reasoning.length > 10 && one.description.length > 0 && Array.isArray(one.tags));
    }
    assert.match(answer.notes.join(), /ANTHROPIC_API_KEY is not set/);
    const again = await ask(peer, 'cap:curate', {});
    assert.deepEqual(again.suggestions, answer.suggestions);
  });

  test('FR011, 13.4 AC2: auto applies what is above the confidence of the config, and leaves the rest with a reason', async () => {
    const peer = await curatedBy(bed, 'two', { minConfidence: 0.8 });
    await unnamed(peer, 'read and parse a JSON config file');
    await unnamed(peer, 'x');
    const { suggestions } = await ask(peer, 'cap_curate', { mode: 'suggest' });
    const answer = await ask(peer, 'cap_curate', { mode: 'auto' });
    const sure = suggestions.filter(({ confidence }: Loose) => confidence > 0.8);
    assert.ok(sure.length > 0, JSON.stringify(suggestions));
    assert.deepEqual(
      answer.applied,
      sure.map((one: Loose) => ({ id: one.id, from: one.currentName, to: one.suggestedName })),
    );
    assert.equal(answer.skipped.length, suggestions.length - sure.length);
    for (const { why } of answer.skipped) assert.match(why, /confidence of 0\.\d+ is not above 0\.8/);
    for (const { from, to } of answer.applied)
      assert.equal((await ask(peer, 'cap_lookup', { name: from })).display_name, to);
  });

  test('FR011, FR013, 13.4 AC3: apply gives the names it is told, and the old ones become aliases', async () => {
    const peer = await asUser(bed, 'three');
    const { id, name } = await unnamed(peer, 'read a file for three');
    const other = await unnamed(peer, 'read another file for three');
    const renames = [
      { id, name: 'my-reader' },
      { id: other.id, name: 'my-reader' },
      { id: other.name, name: 'a b' },
    ];
    const { applied, skipped } = await ask(peer, 'cap_curate', { mode: 'apply', renames });
    assert.deepEqual(applied, [{ id, from: name, to: 'my-reader' }]);
    assert.equal(skipped[0].why, "Capability name 'my-reader' already exists in scope local.default");
    assert.match(skipped[1].why, /^Invalid capability name: "a b"/);
    const found = await ask(peer, 'cap_lookup', { name });
    assert.deepEqual([found.display_name, found.deprecated_alias], ['my-reader', name]);
    assert.ok((await execute(peer, { capability: name })).result);
  });

  test('13.4 AC4: filters say what is looked at', async () => {
    const peer = await asUser(bed, 'four');
    const often = await unnamed(peer, 'read often for four');
    await unnamed(peer, 'read rarely for four');
    await execute(peer, {
      name: 'four:named',
      code: 'return (await mcp.filesystem.read({ path: "n" })).path',
    });
    for (let n = 0; n < 3; n++) await execute(peer, { capability: often.name });
    const ids = async (filter: object) =>
      (await ask(peer, 'cap_curate', { filter })).suggestions.map(({ id }: Loose) => id);
    assert.deepEqual(await ids({ unnamed_only: true, min_usage: 3 }), [often.id]);
    assert.equal((await ids({ unnamedOnly: true })).length, 2);
    assert.deepEqual(await ids({ namespace: 'nobody*' }), []);
    const all = await ask(peer, 'cap_curate', { filter: { unnamed_only: false } });
    assert.equal(all.suggestions.length + all.skipped.length, 3);
  });

  test('13.4 AC5, AC6: the namespace comes from the tools, the action from the intent', async () => {
    const peer = await asUser(bed, 'five');
    await unnamed(peer, 'read and parse JSON config file');
    const { suggestions } = await ask(peer, 'cap_curate');
    assert.match(suggestions[0].suggestedName, /^fs:/);
    assert.match(suggestions[0].suggestedName, /config/);
    assert.match(suggestions[0].suggestedName, /read|parse|json/);
  });

  test('FR012, 13.4 AC7: a model names by intent, code and tools; its words are applied with the name', async () => {
    const peer = await curatedBy(bed, 'seven', {}, ANTHROPIC);
    await execute(peer, {
      name: 'seven:neighbour',
      code: 'return (await mcp.github.read({ path: "n" })).path',
    });
    const { id, name } = await unnamed(
      peer,
      'Look up the seventh thing',
      'filesystem.read({ path: args.where })',
    );
    model.requests.length = 0;
    const { suggestions } = await ask(peer, 'cap_curate');
    assert.equal(suggestions[0].suggestedName, 'model:look_up_the_seventh_thing');
    assert.equal(suggestions[0].source, 'anthropic/claude-haiku-4-5');
    const [request] = model.requests;
    assert.ok(request);
    assert.equal(request.headers['x-api-key'], ANTHROPIC.ANTHROPIC_API_KEY);
    assert.deepEqual(request.programs[0].tools, ['filesystem:read']);
    assert.match(request.programs[0].code, /mcp\.filesystem\.read/);
    assert.equal(request.programs[0].intent, 'Look up the seventh thing');
    assert.match(request.user, /seven:neighbour/, 'names that exist are in the prompt');
    const renames = [{ id, name: suggestions[0].suggestedName }];
    assert.equal((await ask(peer, 'cap_curate', { mode: 'apply', renames })).applied.length, 1);
    const record = await ask(peer, 'cap_whois', { name });
    assert.equal(record.description, 'Says what "Look up the seventh thing" does.');
    assert.deepEqual(record.tags, ['model', 'made']);
    assert.equal(record.parameters_schema.properties.where?.description, 'The where of it');
    assert.equal(record.signature_valid, true);
    assert.equal((await ask(peer, 'cap_curate')).suggestions.length, 0);
  });

  test('13.4 AC8: confidence is made of tools, intent and uniqueness, and the reasoning says so', async () => {
    const peer = await asUser(bed, 'eight');
    await unnamed(peer, 'read the invoice of a customer');
    await unnamed(peer, 'do it');
    const { suggestions } = await ask(peer, 'cap_curate');
    const [clear, vague] = ['invoice', 'do it'].map(
      (word) => suggestions.find((one: Loose) => one.description.toLowerCase().includes(word)) ?? {},
    );
    assert.ok(clear.confidence > (vague.confidence ?? 0), JSON.stringify(suggestions));
    assert.match(clear.reasoning, /tools/i);
    assert.match(clear.reasoning, /intent/i);
    assert.match(clear.reasoning, /unique|free|taken/i);
  });

  test('13.4 AC9: a name that is taken is varied, with less confidence', async () => {
    const peer = await asUser(bed, 'nine');
    await unnamed(peer, 'read the ninth ledger');
    const first = (await ask(peer, 'cap_curate')).suggestions[0];
    await execute(peer, {
      name: first.suggestedName,
      code: 'return (await mcp.github.read({ path: "l" })).path',
    });
    const second = (await ask(peer, 'cap_curate')).suggestions[0];
    assert.equal(second.id, first.id);
    assert.notEqual(second.suggestedName, first.suggestedName);
    assert.ok(second.confidence < first.confidence, `${second.confidence} < ${first.confidence}`);
  });

  test('13.4 AC10: twenty are named in four requests of five, and progress is told', async () => {
    const peer = await curatedBy(bed, 'ten', {}, ANTHROPIC);
    for (let n = 0; n < 20; n++) await unnamed(peer, `Do the tenth thing ${n}`);
    model.requests.length = 0;
    const told: Loose[] = [];
    const { structuredContent } = await peer.call('cap_curate', {}, { onprogress: (one) => told.push(one) });
    assert.equal(structuredContent.suggestions.length, 20);
    assert.deepEqual(
      model.requests.map(({ programs }) => programs.length),
      [5, 5, 5, 5],
    );
    await eventually(
      () => told.some(({ progress, total }) => progress === 20 && total === 20),
      'all progress',
    );
    assert.equal(new Set(structuredContent.suggestions.map((one: Loose) => one.suggestedName)).size, 20);
  });

  test('13.4 AC11: the model is the one of the config: haiku, sonnet, a provider model or an address', async () => {
    const asked = async (user: string, curation: object, env: object) => {
      const peer = await curatedBy(bed, user, curation, env);
      await unnamed(peer, `Be named for ${user}`);
      model.requests.length = 0;
      const { suggestions } = await ask(peer, 'cap_curate');
      assert.match(suggestions[0].suggestedName, /^model:/);
      const { path, body, headers } = model.requests[0] as Loose;
      return [path, body.model, headers.authorization ?? headers['x-api-key']];
    };
    const key = ANTHROPIC.ANTHROPIC_API_KEY;
    const openai = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${model.url}/v1` };
    assert.deepEqual(await asked('eleven-a', {}, ANTHROPIC), ['/v1/messages', 'claude-haiku-4-5', key]);
    assert.deepEqual(await asked('eleven-b', { model: 'sonnet' }, ANTHROPIC), [
      '/v1/messages',
      'claude-sonnet-4-5',
      key,
    ]);
    assert.deepEqual(await asked('eleven-c', { model: 'openai/gpt-x' }, openai), [
      '/v1/chat/completions',
      'gpt-x',
      'Bearer sk-test',
    ]);
    assert.deepEqual(await asked('eleven-d', { model: `${model.url}/v1#llama3.2` }, {}), [
      '/v1/chat/completions',
      'llama3.2',
      undefined,
    ]);
  });

  test('what is decided must be decided with apply', async () => {
    const peer = await asUser(bed, 'twelve');
    assert.match(
      await refusal(peer, 'cap_curate', { mode: 'apply' }),
      /^invalid_arguments: .*needs "renames"/,
    );
    assert.match(await refusal(peer, 'cap_curate', { mode: 'auto', renames: [] }), /need "mode": "apply"/);
    assert.match(await refusal(peer, 'cap_curate', { mode: 'other' }), /^invalid_arguments/);
  });
});
