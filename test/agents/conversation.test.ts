/**
 * Whole conversations of `pml agent run`: AgentRunner, its engine and the gateway, with real MCP servers, against a model on
 * this machine that asks for tools, is denied, recovers and finishes.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, test } from 'node:test';
import { waitForExit, within } from '../../src/testing/wait.ts';
import { inTurn, startChatModel } from '../support/chat-model.ts';
import type { Loose } from '../support/clients.ts';
import { fixtureServer, npmServer, Pml, PROGRAM } from '../support/pml.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const model = await startChatModel({ after });
const pml = new Pml({ after });
before(() => onUsualEngine(pml));
const data = join(pml.dir, 'data');
mkdirSync(data);
writeFileSync(join(data, 'report.txt'), 'Sales rose by 7 %.');
const agent = { systemPrompt: 'You analyse.', model: `${model.url}#m` };
pml.configure({
  mcpServers: {
    fs: npmServer('filesystem', data),
    notes: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(pml.dir, 'notes.jsonl') } },
    bad: fixtureServer('hostile-stdio.ts'),
  },
  agents: {
    analyst: { ...agent, capabilities: { fs: { tools: ['read_text_file'] }, notes: {} } },
    keeper: {
      ...agent,
      capabilities: {
        files: { dirs: ['data'], tools: ['read_text_file'] },
        memory: {},
        tasks: {},
        history: {},
      },
    },
    breaker: { ...agent, capabilities: { bad: {} } },
    wrong: { ...agent, capabilities: { fs: { tools: ['read_everything'] } } },
    modelless: { capabilities: {} },
  },
  modelPrices: { 'openai/m': { input: 2, output: 10 } },
});

beforeEach(() => {
  model.requests.length = 0;
});

/** Runs `pml agent run`, and returns its events. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await pml.run(['agent', 'run', ...args]);
  const events: Loose[] = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { code, stderr, events, of: (type: string) => events.filter((event) => event.type === type) };
}

const call = (name: string, args: object) => ({ calls: [{ name, args }] });

test('an agent asks for tools, is denied, recovers and finishes; then its thread is resumed', async () => {
  const path = join(data, 'report.txt');
  const evil = join(data, 'evil.txt');
  const write = `return await mcp.fs.write_file({ path: ${JSON.stringify(evil)}, content: 'x' });`;
  const read = `return (await mcp.fs.read_text_file({ path: ${JSON.stringify(path)} }));`;
  const entities = [{ name: 'sales', entityType: 'figure', observations: ['rose by 7 %'] }];
  model.say = inTurn(
    { text: 'I try to write. ', ...call('mcp__fs__write_file', { path: evil, content: 'x' }) },
    call('mcp__pml__pml_execute', { intent: 'write a file', code: write }),
    call('mcp__pml__pml_execute', { intent: 'read the report', code: read }),
    call('mcp__notes__create_entities', { entities }),
    { text: 'Sales rose by 7 %; I noted it.' },
  );
  const { code, stderr, events, of } = await run('analyst', 'What happened?');
  assert.equal(code, 0, stderr);

  // "If `tools` is specified, only those tools are available. If a capability isn't listed, the agent doesn't have it."
  const offered = model.requests[0]?.tools ?? [];
  const ofServer = (server: string) => offered.filter((name) => name.startsWith(`mcp__${server}__`));
  assert.deepEqual(ofServer('fs'), ['mcp__fs__read_text_file']);
  assert.ok(ofServer('notes').includes('mcp__notes__create_entities'));
  assert.deepEqual(ofServer('bad'), []);
  assert.ok(
    ofServer('pml').includes('mcp__pml__pml_execute') && ofServer('pml').includes('mcp__pml__pml_discover'),
  );
  assert.ok(!ofServer('pml').includes('mcp__pml__cap_rename'));

  const results = of('tool_result');
  assert.deepEqual(
    results.map(({ is_error: isError }) => isError),
    [true, true, false, false],
  );
  assert.match(results[0].output, /There is no tool "mcp__fs__write_file"/);
  assert.match(results[1].output, /write_file/);
  assert.match(results[2].output, /Sales rose by 7 %\./);
  assert.ok(!existsSync(evil));
  assert.ok(existsSync(join(pml.dir, 'notes.jsonl')));
  const [end] = of('end');
  assert.equal(events[0].type, 'thread');
  assert.deepEqual(end, {
    type: 'end',
    thread: events[0].id,
    reason: 'done',
    steps: 5,
    text: 'Sales rose by 7 %; I noted it.',
    usage: { input_tokens: 500, output_tokens: 100, cost_usd: 0.002 },
  });

  model.say = inTurn(call('mcp__notes__read_graph', {}), ({ last }) => ({
    text: last.includes('rose by 7 %') ? 'It is in the notes.' : last,
  }));
  const resumed = await run('analyst', 'Where did you note it?', '--thread', events[0].id);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(resumed.of('end')[0].text, 'It is in the notes.');
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
  for (const said of ['You analyse.', 'What happened?', 'I try to write.', 'Where did you note it?'])
    assert.ok(sent.includes(said), said);
});

test('an agent uses what is built in: files, memory, tasks and its history', async () => {
  const entities = [{ name: 'sales', entityType: 'figure', observations: ['rose by 7 %'] }];
  model.say = inTurn(
    {
      calls: [
        { id: 'a', name: 'mcp__files__read_text_file', args: { path: join(data, 'report.txt') } },
        { id: 'b', name: 'mcp__files__read_text_file', args: { path: join(pml.dir, 'pml.json') } },
        { id: 'c', name: 'mcp__memory__create_entities', args: { entities } },
      ],
    },
    ({ tools }) => ({ text: tools.map((name) => name.split('__')[1]).join(' ') }),
  );
  const { code, stderr, of } = await run('keeper', 'Keep it.');
  assert.equal(code, 0, stderr);
  const results = Object.fromEntries(of('tool_result').map(({ id, ...result }) => [id, result]));
  assert.match(results.a.output, /Sales rose by 7 %\./);
  assert.equal(results.b.is_error, true);
  assert.match(results.c.output, /sales/);
  assert.deepEqual([...new Set(of('end')[0].text.split(' '))].sort(), [
    'files',
    'history',
    'memory',
    'pml',
    'tasks',
  ]);
});

test('wrong agents, threads, tools and models end in a message that says what to do', async () => {
  const cases: [string[], number, RegExp][] = [
    [['nobody', 'Hello'], 1, /There is no agent "nobody"[\s\S]*Its agents are analyst/],
    [['analyst'], 2, /agent run needs an agent and one message/],
    [['analyst', ' '], 2, /The message is empty/],
    [['analyst', 'Hello', '--thread', 'x'], 1, /There is no thread "x"[\s\S]*Leave --thread out/],
    [['wrong', 'Hello'], 1, /capabilities\.fs\.tools\[0\]: unknown tool "read_everything"/],
    [['modelless', 'Hello'], 1, /has no model[\s\S]*Set "model" of the agent in pml\.json, or give --model/],
    [
      ['modelless', 'Hello', '--engine', 'claude'],
      1,
      /npm install --prefix \S+ @anthropic-ai\/claude-agent-sdk/,
    ],
    [['analyst', 'Hello', '--model', 'http://127.0.0.1:9/v1#m'], 1, /could not be reached[\s\S]*--thread/],
  ];
  const outcomes = await Promise.all(cases.map(([args]) => run(...args)));
  for (const [at, [args, code, message]] of cases.entries()) {
    const { stderr, events, code: exit } = outcomes[at] as Awaited<ReturnType<typeof run>>;
    assert.match(stderr, message, args.join(' '));
    assert.equal(exit, code, `${args.join(' ')}: ${stderr}`);
    assert.equal(events.at(-1)?.type ?? 'error', 'error');
  }
  assert.equal(model.requests.length, 0);
});

test('a run at the limit of steps exits with 1 and says how to go on', async () => {
  model.say = () => call('mcp__bad__echo', { text: 'again' });
  const { code, stderr, of } = await run('breaker', 'Loop.', '--max-steps', '2');
  assert.equal(code, 1);
  assert.equal(of('end')[0].reason, 'max_steps');
  assert.match(stderr, new RegExp(`pml agent run breaker --thread ${of('thread')[0].id}`));
});

test('ctrl-C cancels the run and its tool call, and keeps the thread', async () => {
  model.say = inTurn(call('mcp__bad__pid', {}), { text: 'I hang. ', ...call('mcp__bad__hang', {}) });
  const child = spawn(process.execPath, [PROGRAM, 'agent', 'run', 'breaker', 'Hang.'], {
    cwd: pml.dir,
    env: pml.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  let thread = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line);
    if (event.type === 'thread') thread = event.id;
    if (event.type === 'tool_call' && event.name === 'mcp__bad__hang') child.kill('SIGINT');
  }
  const [code] = await within(exit, 60_000, 'the end of the run');
  assert.equal(code, 130, stderr);
  assert.match(stderr, new RegExp(`The run was cancelled\\.[\\s\\S]*--thread ${thread}`));
  await waitForExit(child.pid as number);

  model.say = () => ({ text: 'Going on.' });
  const { of } = await run('breaker', 'Go on.', '--thread', thread);
  assert.equal(of('end')[0].text, 'Going on.');
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
  for (const said of ['I hang. ', 'The run ended before this call was answered'])
    assert.ok(sent.includes(said), said);
});
