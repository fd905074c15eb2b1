/** Curation by several users and processes: what is kept, who may, and what happens in between. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { review } from '../../src/cli/review.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { eventually } from '../../src/testing/wait.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { nameAll, startModelServer } from '../support/model-server.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { execute, onEachStore, TestBed } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const mcpServers = { work: fixtureServer('fixture-work.ts'), desk: fixtureServer('fixture-desk.ts') };
const config = { mcpServers, curation: { threshold: 1000 } };
const model = await startModelServer({ after });
const ANTHROPIC = { ANTHROPIC_API_KEY: 'sk-ant-test-0123456789abcdef', ANTHROPIC_BASE_URL: model.url };
let made = 0;

beforeEach(() => {
  model.requests.length = 0;
  model.say = nameAll;
});

async function unnamed(peer: Peer, intent: string): Promise<Loose> {
  made += 1;
  const code = `const found = await mcp.work.read({ path: "a.json" }); return { kind${made}: found };`;
  const { capabilityId: id, capabilityName: name } = await execute(peer, { intent, code });
  return { id, name };
}

/** Connects a user who has a key for the model. */
function withKey(bed: TestBed, user: string): Promise<Peer> {
  return asUser(bed, user, ANTHROPIC);
}

onEachStore(config, (bed) => {
  test('a dry run shows what would leave the machine, and sends and keeps nothing', async () => {
    const peer = await withKey(bed, 'dry');
    await unnamed(peer, 'Read it dry');
    const { would_send: sent, suggestions } = await ask(peer, 'cap_curate', { dry_run: true });
    assert.deepEqual([suggestions, model.requests.length], [[], 0]);
    assert.deepEqual([sent.to, sent.model, sent.prompts.length], [`${model.url}/v1`, 'claude-haiku-4-5', 1]);
    await ask(peer, 'cap_curate');
    assert.equal(model.requests[0]?.user, sent.prompts[0].user, 'exactly that is sent');
    assert.equal(model.requests[0]?.system, sent.prompts[0].system);
    assert.ok(!sent.prompts[0].user.includes(ANTHROPIC.ANTHROPIC_API_KEY));
    assert.deepEqual((await ask(peer, 'cap_curate', { dry_run: true })).would_send.prompts, []);
  });

  test('a name that a model must not give is replaced by that of the rules, and the reasoning says so', async () => {
    const peer = await withKey(bed, 'bad');
    await execute(peer, { name: 'bad:taken', code: 'return (await mcp.work.read({ path: "t" })).path' });
    const names = ['bad:taken', 'pml_execute', 'n'.repeat(10_000), 'work:read', 'rm -rf /'];
    for (const name of names) await unnamed(peer, `Be named badly ${names.indexOf(name)}`);
    model.say = ({ programs }) =>
      JSON.stringify({
        programs: programs.map(({ number, intent }) => ({ number, name: names[intent.at(-1)] })),
      });
    const { suggestions } = await ask(peer, 'cap_curate');
    assert.equal(suggestions.length, 5);
    for (const { suggestedName, reasoning } of suggestions) {
      assert.ok(!names.includes(suggestedName), suggestedName);
      assert.match(reasoning, /model's name was not used/);
      assert.ok(reasoning.length < 1000);
    }
  });

  test('a model that answers prose leaves names to the rules, and the answer says why', async () => {
    const peer = await withKey(bed, 'prose');
    await unnamed(peer, 'Read the prose');
    model.say = () => 'I am a poet.';
    const { suggestions, notes } = await ask(peer, 'cap_curate');
    assert.deepEqual([suggestions.length, suggestions[0].source], [1, 'heuristics']);
    assert.match(notes.join(), /did not answer with the requested JSON/);
  });

  test('everyone curates only what they may change, and hears of nothing else', async () => {
    const [peer, other] = [await asUser(bed, 'owner'), await asUser(bed, 'stranger')];
    const hidden = await unnamed(peer, 'Keep this to the owner');
    const seen = await unnamed(peer, 'Show this to everyone');
    await ask(peer, 'cap_rename', { name: seen.name, visibility: 'project' });
    assert.equal((await ask(peer, 'cap_curate')).suggestions.length, 2);
    assert.deepEqual((await ask(other, 'cap_curate')).suggestions, []);
    const renames = [hidden, seen].map(({ id }) => ({ id, name: 'stolen:name' }));
    const { applied, skipped } = await ask(other, 'cap_curate', {
      mode: 'apply',
      renames,
      refuse: [hidden.id, seen.id],
    });
    assert.deepEqual(applied, []);
    assert.equal(skipped[0].why, `Capability not found: ${hidden.id}`);
    assert.match(skipped[1].why, /^Only owner, who made/);
    assert.equal(skipped[2].why, `Capability not found: ${hidden.id}`);
    assert.match(skipped[3].why, /^Only owner/);
    assert.deepEqual((await ask(other, 'cap_stats')).curation.shown, 0);
    assert.equal((await ask(peer, 'cap_stats')).curation.shown, 2);
  });

  test('what is renamed or retired while a model thinks keeps its name, and stays retired', async () => {
    const [peer, meanwhile] = [await withKey(bed, 'racer'), await asUser(bed, 'racer')];
    const renamed = await unnamed(peer, 'Be renamed meanwhile');
    const retired = await unnamed(peer, 'Be retired meanwhile');
    const plain = await unnamed(peer, 'Be left alone');
    model.say = async (request) => {
      await ask(meanwhile, 'cap_rename', { name: renamed.id, new_name: 'racer:faster' });
      await ask(meanwhile, 'cap_retire', { name: retired.id });
      return nameAll(request);
    };
    // A confidence of 0 applies all that is suggested.
    const cwd = bed.pml.project('eager', { mcpServers, curation: { threshold: 1000, minConfidence: 0 } });
    const eager = await bed.peer('SDK v2 legacy', 'stdio', { cwd, env: { PML_USER: 'racer', ...ANTHROPIC } });
    const { applied, skipped } = await ask(eager, 'cap_curate', { mode: 'auto' });
    assert.deepEqual(
      applied.map(({ id }: Loose) => id),
      [plain.id],
    );
    const why = (id: string) => skipped.find((one: Loose) => one.id === id)?.why;
    assert.match(why(renamed.id), /its name is now "racer:faster"/);
    assert.match(why(retired.id), /Capability not found/);
    assert.equal((await ask(peer, 'cap_lookup', { name: renamed.name })).display_name, 'racer:faster');
  });

  test('two curations at once tell the same', async () => {
    const [one, other] = [await withKey(bed, 'twice'), await withKey(bed, 'twice')];
    for (let n = 0; n < 6; n++) await unnamed(one, `Be named twice ${n}`);
    let asked = 0;
    // Each gets names of its own from the model.
    model.say = (request) => {
      asked += 1;
      return nameAll(request).replaceAll('model:', `model${asked}:`);
    };
    const [first, second] = await Promise.all([ask(one, 'cap_curate'), ask(other, 'cap_curate')]);
    assert.deepEqual(first.suggestions.length, 6);
    const third = (await ask(one, 'cap_curate')).suggestions;
    const names = (suggestions: Loose[]) => suggestions.map(({ suggestedName }) => suggestedName);
    assert.deepEqual(names(first.suggestions), names(third));
    assert.deepEqual(names(second.suggestions), names(third));
    const autos = await Promise.all([one, other].map((peer) => ask(peer, 'cap_curate', { mode: 'auto' })));
    const applied = autos.flatMap((answer: Loose) => answer.applied.map(({ id }: Loose) => id));
    assert.equal(new Set(applied).size, applied.length, 'nothing is applied twice');
  });

  test('NFR006: cap_stats counts what became of the suggestions', async () => {
    const peer = await asUser(bed, 'counter');
    for (let n = 0; n < 5; n++) await unnamed(peer, `Count the sheep of herd ${n}`);
    const { suggestions } = await ask(peer, 'cap_curate');
    const [a, b, c, d] = suggestions;
    const renames = [
      { id: a.id, name: a.suggestedName },
      { id: b.id, name: 'counter:mine' },
    ];
    await ask(peer, 'cap_curate', { mode: 'apply', renames, refuse: [c.id] });
    // A name given elsewhere is a decision too.
    await ask(peer, 'cap_rename', { name: d.id, new_name: 'counter:other' });
    const { curation } = await ask(peer, 'cap_stats');
    assert.deepEqual(curation, {
      ...{ shown: 5, accepted: 1, edited: 2, refused: 1, applied_automatically: 0, open: 1 },
      acceptance_rate: 0.25,
    });
    const again = (await ask(peer, 'cap_curate')).suggestions.find(({ id }: Loose) => id === c.id);
    assert.notEqual(again.suggestedName, c.suggestedName, 'a refused name is not suggested again');
  });

  test('an unnamed capability that is used often is pointed out in its answers and in cap_stats', async () => {
    const peer = await asUser(bed, 'often');
    const { name } = await unnamed(peer, 'Be used often');
    for (let n = 0; n < 5; n++) await execute(peer, { capability: name });
    await ask(peer, 'cap_stats');
    const { warnings } = await execute(peer, { capability: name });
    assert.match(warnings.join(), new RegExp(`"${name}" was used \\d times and has no name: cap_curate`));
    const asTool = await peer.call(name);
    assert.equal(asTool.content.length, 2);
    assert.match(asTool.content[1].text, /was used \d times and has no name: cap_curate/);
    const { often_used_unnamed: often } = await ask(peer, 'cap_stats');
    assert.deepEqual(
      often.map((one: Loose) => one.name),
      [name],
    );
  });

  test('twins are folded on apply: the names of one lead to the other, until cap_restore', async () => {
    const peer = await asUser(bed, 'twin');
    const twin = (name: string, end: string) =>
      execute(peer, {
        name,
        code: `const a = await mcp.work.read({ path: args.path }); await mcp.work.query({ sql: "select 1" }); return ${end};`,
        args: { path: 'x' },
      });
    await twin('twin:proven', 'a.path');
    await twin('twin:other', '[a.path]');
    for (let n = 0; n < 3; n++) await execute(peer, { capability: 'twin:proven', args: { path: 'y' } });
    const { merges } = await ask(peer, 'cap_curate');
    const [{ keep, fold, keepName, foldNames }] = merges;
    assert.deepEqual([keepName, foldNames], ['twin:proven', ['twin:other']]);
    const { applied, skipped } = await ask(peer, 'cap_curate', { mode: 'apply', merges: [{ keep, fold }] });
    assert.deepEqual(skipped, []);
    assert.deepEqual([applied[0].from, applied[0].to], ['twin:other', 'twin:proven']);
    assert.match(applied[0].undo, /cap_restore/);
    assert.equal((await execute(peer, { capability: 'twin:other', args: { path: 'z' } })).result, 'z');
    assert.equal((await ask(peer, 'cap_curate')).merges, undefined);
    await ask(peer, 'cap_restore', { name: fold[0] });
    assert.deepEqual((await execute(peer, { capability: 'twin:other', args: { path: 'z' } })).result, ['z']);
    const again = await ask(peer, 'cap_curate', { mode: 'apply', merges: [{ keep: 'nobody:here', fold }] });
    assert.equal(again.skipped[0].why, 'Capability not found: nobody:here');
  });

  test('a proposal made of recurring calls is shown and can be accepted', async () => {
    for (const name of ['Globex', 'Initech', 'Hooli']) {
      const peer = await asUser(bed, 'habit');
      const call = async (tool: string, args: object) =>
        JSON.parse((await peer.call(`desk:${tool}`, args)).content[0].text);
      const { auth } = await call('login', { user: 'ana', password: `hunter2-${name}` });
      const { customer } = await call('find', { name, token: auth.token });
      await call('note', { id: customer.id, text: `For ${name}`, channel: 'mail', token: auth.token });
      await peer.close();
    }
    const peer = await asUser(bed, 'habit');
    const [proposal] = await eventually(async () => (await ask(peer, 'cap_curate')).proposals, 'a proposal');
    assert.equal(proposal.calls, 'desk:login → desk:find → desk:note');
    const { applied, skipped } = await ask(peer, 'cap_curate', {
      mode: 'apply',
      accept: [proposal.id, 'no-such'],
    });
    assert.match(applied[0].to, /^unnamed_/);
    assert.match(skipped[0].why, /There is no proposal "no-such"/);
    const after = await ask(peer, 'cap_curate');
    assert.deepEqual(
      after.suggestions.map(({ id }: Loose) => id),
      [applied[0].id],
    );
    assert.equal(after.proposals, undefined);
  });

  test('pml curate reviews on a terminal: accept, edit until it fits, skip, refuse, all', async () => {
    const peer = await asUser(bed, 'cli');
    for (let n = 0; n < 6; n++) await unnamed(peer, `Read the shelf number ${n}`);
    const { suggestions } = await ask(peer, 'cap_curate');
    const printed: string[] = [];
    const answers = ['a', 'what', 'e', 'a b', 'edit', 'cli:edited', 's', 'r', 'all'];
    const terminal = {
      interactive: true,
      print: (text: string) => void printed.push(text),
      style: (_: unknown, text: string) => text,
      ask: async () => answers.shift() ?? 'q',
    } as unknown as Terminal;
    await review(terminal, (tool, input) => ask(peer, tool, input), { unnamed_only: true });
    assert.deepEqual(answers, []);
    const names: string[] = [];
    for (const { id } of suggestions) names.push((await ask(peer, 'cap_lookup', { name: id })).display_name);
    const suggested = suggestions.map((one: Loose) => one.suggestedName);
    assert.deepEqual(names.slice(0, 2), [suggested[0], 'cli:edited']);
    assert.ok(names.slice(2, 4).every((name) => name.startsWith('unnamed_')));
    assert.deepEqual(names.slice(4), suggested.slice(4));
    const text = printed.join('\n');
    assert.match(text, /1 of 6\nunnamed_\w+ → \S+ {2}\d+%, by rules/);
    assert.match(text, /│ const found = await mcp\.work\.read/);
    assert.match(text, /was not changed: Invalid capability name: "a b"/);
  });

  test('pml curate in a pipe: says what to do, prints what the tool answers, shows what would be sent', async () => {
    const env = { PML_USER: 'pipe' };
    const peer = await asUser(bed, 'pipe');
    const { id, name } = await unnamed(peer, 'Read the pipe');
    const none = await bed.pml.run(['curate'], { env });
    assert.deepEqual([none.code, none.stdout], [2, '']);
    assert.match(none.stderr, /--mode suggest, auto or apply/);
    assert.equal((await bed.pml.run(['curate', '--mode', 'x'], { env })).code, 2);
    const json = await bed.pml.run(['curate', '--mode', 'suggest', '--json'], { env });
    assert.deepEqual(JSON.parse(json.stdout), await ask(peer, 'cap_curate'));
    const dry = await bed.pml.run(['curate', '--dry-run', '--all'], { env: { ...env, ...ANTHROPIC } });
    assert.match(dry.stdout, /requests would be sent to http:\/\/127/);
    const applied = await bed.pml.run(['curate', '--mode', 'apply', '--rename', `${id}=pipe:read`], { env });
    assert.deepEqual([applied.code, applied.stdout], [0, `${name} is now pipe:read\n`]);
    assert.match(
      (await bed.pml.run(['curate', '--mode', 'auto'], { env })).stdout,
      /nothing to curate|by rules/,
    );
    assert.equal(
      await refusal(peer, 'cap_lookup', { name: 'pipe:reads' }),
      'capability_not_found: Capability not found: pipe:reads',
    );
  });
});

describe('FR010: at the threshold, in the background', () => {
  const eager = (auto: boolean) => ({ mcpServers, curation: { threshold: 3, auto, minConfidence: 0 } });

  test('suggestions are made once, on one of two replicas, and kept unseen', async () => {
    const bed = new TestBed(eager(false), { onPostgres: true });
    await bed.url();
    const second = new Pml({ after }, eager(false));
    second.env.PML_DATABASE_URL = bed.pml.env.PML_DATABASE_URL as string;
    const env = { PML_USER: 'ana', ...ANTHROPIC };
    const here = await bed.peer('SDK v2 legacy', 'stdio', { env });
    const there = await connectPeer(second, 'SDK v2 legacy', 'stdio', '', { env });
    await Promise.all([unnamed(here, 'Make the first'), unnamed(there, 'Make the second')]);
    assert.equal(model.requests.length, 0);
    await unnamed(here, 'Make the third');
    const { curation } = await eventually(async () => {
      const stats = await ask(there, 'cap_stats');
      return stats.curation.open === 3 && stats;
    }, 'three suggestions');
    assert.equal(curation.shown, 0);
    assert.deepEqual(
      model.requests.map(({ programs }) => programs.length),
      [3],
    );
    const { suggestions } = await ask(there, 'cap_curate');
    assert.deepEqual(
      suggestions.map(({ source }: Loose) => source),
      Array(3).fill('anthropic/claude-haiku-4-5'),
    );
    assert.equal(model.requests.length, 1, 'those that were made are shown');
    assert.equal((await ask(here, 'cap_stats')).unnamed, 3, 'nothing is applied without "auto"');
  });

  test('with "auto" they are applied, and announced', async () => {
    const bed = new TestBed(eager(true));
    const peer = await asUser(bed, 'ana', ANTHROPIC);
    for (const word of ['first', 'second', 'third']) await unnamed(peer, `Make the ${word}`);
    await peer.untilListed('mcp__model__make_the_third');
    const { unnamed: left, curation } = await ask(peer, 'cap_stats');
    assert.deepEqual([left, curation.applied_automatically, curation.shown], [0, 3, 0]);
  });
});
