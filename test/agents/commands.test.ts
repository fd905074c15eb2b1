import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fixtureServer, Pml } from '../support/pml.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const work = fixtureServer('fixture-work.ts');
const config = {
  mcpServers: { work, own: { ...work, pml: { perSession: true } } },
  agents: {
    analyst: {
      systemPrompt: 'You analyse.\nIn detail.',
      model: 'haiku',
      capabilities: {
        work: { tools: ['read', 'query'] },
        files: { dirs: ['data', 'gone'], tools: ['read_file'] },
        capabilities: { names: ['fs:read_json'] },
        own: { tools: ['kept'] },
        tasks: {},
      },
    },
    clerk: { capabilities: { work: { tools: ['raed', 'nothing_like_it'] } } },
    nobody: { capabilities: {} },
  },
  defaultAgent: 'analyst',
};

const pml = new Pml({ after }, config);
before(() => onUsualEngine(pml));
mkdirSync(join(pml.dir, 'data'));
const KNOWN = ['work', 'own', 'capabilities', 'files', 'memory', 'history', 'tasks'];

/** The answer of `pml agent … --json`. */
async function agent(...args: string[]) {
  const { code, stdout, stderr } = await pml.run(['agent', ...args, '--json']);
  assert.notEqual(stdout, '', stderr);
  return { code, answer: JSON.parse(stdout) };
}

test('pml agent list shows the agents, and which of them have problems', async () => {
  const { code, answer } = await agent('list');
  assert.equal(code, 0);
  const shown = answer.agents.map(({ name, is_default, ok }: Record<string, unknown>) => [
    name,
    is_default,
    ok,
  ]);
  assert.deepEqual(shown, [
    ['analyst', true, true],
    ['clerk', false, false],
    ['nobody', false, true],
  ]);
  const { stdout } = await pml.run(['agent', 'list']);
  assert.match(stdout, /^analyst \(default\) +haiku +work, files, capabilities, own, tasks +ok$/m);
  assert.match(stdout, /^clerk +work +2 problems$/m);
});

test('pml agent check explains what an agent can and cannot reach, and why', async () => {
  const { code, answer } = await agent('check', 'analyst');
  assert.equal(code, 0);
  assert.deepEqual([answer.ok, answer.problems], [true, []]);
  assert.deepEqual(answer.warnings, [
    `files: there is no folder ${join(pml.dir, 'gone')}`,
    'capabilities: no capability "fs:read_json" is visible to you; it may not exist yet',
  ]);
  const reach = answer.capabilities.map((one: Record<string, unknown>) => [
    one.key,
    one.all_tools,
    one.allowed,
  ]);
  assert.deepEqual(reach.slice(0, 2), [
    ['work', false, ['read', 'query']],
    // Its server starts with each session, and was listed once in the background.
    ['own', false, ['kept']],
  ]);
  assert.deepEqual(answer.learned, ['fs:read_json']);
  assert.deepEqual(answer.capabilities[1].denied, [
    'wait',
    'meet',
    'keep',
    'read',
    'query',
    'repos',
    'refuse',
  ]);
  assert.deepEqual(
    answer.not_listed.map(({ key }: { key: string }) => key),
    ['memory', 'history'],
  );
  const { stdout } = await pml.run(['agent', 'check', 'analyst']);
  assert.match(stdout, /It can reach[\s\S]*work +read, query[\s\S]*tasks +all 5 tools, and later ones/);
  assert.match(
    stdout,
    /It cannot reach[\s\S]*work +wait, .*its "tools" does not name them[\s\S]*memory +not in its cap/,
  );
});

test('pml agent check reports unknown tools with the nearest name, and fails', async () => {
  const { code, answer } = await agent('check', 'clerk');
  assert.equal(code, 1);
  assert.deepEqual(answer.problems, [
    'agents.clerk.capabilities.work.tools[0]: unknown tool "raed"; did you mean "read"?',
    'agents.clerk.capabilities.work.tools[1]: unknown tool "nothing_like_it"; "work" has wait, meet, keep, kept, read, query, repos, refuse',
  ]);
});

test('pml agent show prints what an agent is given', async () => {
  const { stdout } = await pml.run(['agent', 'show', 'analyst']);
  assert.match(stdout, /analyst \(default\)\nmodel +haiku\nsystem prompt +You analyse\.\n/);
  assert.match(stdout, /files +read_file {2}\{"dirs":\["data","gone"\]\}/);
});

test('an agent that does not exist, and a wrong use of the command, are refused with what to do', async () => {
  const missing = await pml.run(['agent', 'check', 'analist']);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /There is no agent "analist" in the config\.\n +Did you mean "analyst"\?/);
  const uses = [['agent'], ['agent', 'chek', 'x'], ['agent', 'show'], ['agent', 'list', 'x']];
  const answers = await Promise.all(uses.map((args) => pml.run(args)));
  assert.deepEqual(
    answers.map(({ code }) => code),
    [2, 2, 2, 2],
  );
  assert.match(answers[1]?.stderr ?? '', /Did you mean pml agent check\?/);
});

test('whatever is wrong with an agent is told at once, with the path in the config, and others are served', async () => {
  const agents = {
    a: {
      capabilities: { work: { tools: 'read' }, wrk: {}, files: { dir: ['x'] }, memory: { tools: ['*'] } },
    },
    b: { capabilities: { tasks: { tools: ['ad_task'] } } },
  };
  const folder = pml.project('wrong', { ...config, agents, defaultAgent: null });
  const expected = [
    /agents\.a\.capabilities\.work\.tools: expected an array of tool names, got string "read"$/,
    /agents\.a\.capabilities\.wrk: unknown capability; did you mean "work"\?$/,
    /agents\.a\.capabilities\.files\.dirs: is missing$/,
    /agents\.a\.capabilities\.files\.dir: unknown key; did you mean "dirs"\?$/,
    /agents\.a\.capabilities\.memory\.tools\[0\]: "\*" looks like a wildcard/,
  ];
  const checked = await pml.run(['agent', 'check', 'a', '--json'], { cwd: folder });
  const served = await pml.run(['serve', '--agent', 'a'], { cwd: folder });
  assert.deepEqual([checked.code, served.code], [1, 1]);
  const [first, ...lines] = served.stderr.trim().split('\n');
  assert.equal(first, 'pml: The capabilities of agent "a" cannot be resolved:');
  for (const problems of [JSON.parse(checked.stdout).problems, lines]) {
    assert.equal(problems.length, expected.length, problems.join('\n'));
    for (const [at, pattern] of expected.entries()) assert.match(problems[at] ?? '', pattern);
  }
  // A mistake of one agent, such as the old name of a renamed server, does not concern other sessions.
  assert.equal((await pml.run(['list'], { cwd: folder })).code, 0);
  await pml.logged(
    /agents\.b\.capabilities\.tasks\.tools\[0\]: unknown tool "ad_task"; did you mean "add_task"\?/,
  );
  const names = pml.project('names', { ...config, agents: { '..': {} }, defaultAgent: 'nobody' });
  const refused = await pml.run(['list'], { cwd: names });
  assert.match(refused.stderr, /pml\.json: agents\["\.\."\]: a name has 1 to 64 letters/);
  const other = pml.project('other', { agents: { analyst: {} }, defaultAgent: 'analist' });
  const { stderr } = await pml.run(['list'], { cwd: other });
  assert.match(
    stderr,
    /pml\.json: defaultAgent: there is no agent "analist" in "agents"; did you mean "analyst"\?/,
  );
});

test('pml doctor lists the capabilities that agents can be given, and checks every agent', async () => {
  const folder = pml.project('doctor', {
    ...config,
    mcpServers: { work, memory: work },
    agents: { ...config.agents, analyst: { capabilities: { memory: { tools: ['read'] } } } },
  });
  const { code, stdout } = await pml.run(['doctor', '--json'], { cwd: folder });
  assert.equal(code, 1);
  const findings = JSON.parse(stdout).findings as {
    check: string;
    ok: boolean;
    detail: string;
    advice?: string;
  }[];
  const of = (check: string) => findings.find((finding) => finding.check === check);
  for (const key of KNOWN.filter((one) => one !== 'own'))
    assert.ok(of('capabilities')?.detail.includes(`${key} (`), key);
  assert.match(
    of('capabilities')?.advice ?? '',
    /"memory": a server of the config has the name of a built-in/,
  );
  assert.deepEqual(of('agent analyst'), { check: 'agent analyst', ok: true, detail: '1 capability, 1 tool' });
  assert.equal(of('agent clerk')?.ok, false);
  assert.match(of('agent clerk')?.detail ?? '', /unknown tool "raed"; did you mean "read"\?/);
});

test('a server that starts with each session is listed once; afterwards enumerating starts nothing', async () => {
  const starts = () =>
    readFileSync(join(pml.home, 'log', 'pml.log'), 'utf8').match(/\bown\b.*connected/g)?.length;
  await pml.run(['down']);
  const before = starts();
  const { answer } = await agent('check', 'analyst');
  assert.deepEqual(answer.capabilities[1].allowed, ['kept']);
  assert.equal(answer.capabilities[1].denied.length, 7);
  await pml.run(['down']);
  assert.ok(before !== undefined && starts() === before);
});
