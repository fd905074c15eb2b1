/**
 * The engine on Claude's SDK, against a model on this machine. The package is optional and large, so it is tested where it is
 * installed: `PML_CLAUDE_SDK_HOME=<a folder> node scripts/test.ts test/agents/claude-engine.test.ts`.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { ClaudeEngine } from '../../src/agents/index.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { AgentBed, openAgentBed, said } from '../support/agent-bed.ts';
import { inTurn } from '../support/chat-model.ts';
import { fixtureServer, Pml } from '../support/pml.ts';

const home = process.env.PML_CLAUDE_SDK_HOME;

test('without the package, the error says how to install it', async () => {
  const { threads } = await openAgentBed();
  const { id } = await threads.open('analyst');
  const engine = new ClaudeEngine({ threads, home: '/nowhere', env: {} });
  const run = engine.run('Hello', { mcpServers: {} }, id, {}, new AbortController());
  await assert.rejects(run, (error: Error & { hint?: string }) => {
    assert.match(error.hint ?? '', /npm install --prefix \/nowhere @anthropic-ai\/claude-agent-sdk/);
    return true;
  });
});

describe('with the package', { skip: home === undefined && 'PML_CLAUDE_SDK_HOME is not set' }, async () => {
  if (home === undefined) return;
  const { model, threads } = await openAgentBed();
  const folder = mkdtempSync(join(scratchRoot(), 'pml-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ANTHROPIC_API_KEY: 'key-of-anthropic',
    ANTHROPIC_BASE_URL: model.url.replace(/\/v1$/, ''),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const bed = new AgentBed(model, threads, new ClaudeEngine({ threads, home, env }));
  const settings = { model: 'claude-sonnet-4-5' };
  const files = { files: fixtureServer('hostile-stdio.ts') };
  const read = { id: 'toolu_1', name: 'mcp__files__echo', args: { text: 'Sales rose by 7 %.' } };

  beforeEach(() => {
    model.requests.length = 0;
  });

  test('the model has the tools of the servers and no others, uses one, and the thread is resumed', async () => {
    model.say = inTurn({ text: 'I look. ', calls: [read] }, { text: 'It rose by 7 %.' });
    const first = await bed.succeed('What does the report say?', {
      ...settings,
      mcpServers: files,
      systemPrompt: 'You analyse.',
    });
    assert.equal(first.result.text, 'It rose by 7 %.');
    assert.equal(first.result.reason, 'done');
    assert.deepEqual(said(first.messages), [
      'user: What does the report say?',
      'assistant: I look.  →mcp__files__echo',
      'tool: Sales rose by 7 %.',
      'assistant: It rose by 7 %.',
    ]);
    const others = model.requests[0]?.tools.filter((name) => !name.startsWith('mcp__files__'));
    assert.deepEqual(
      others?.filter((name) => name !== 'DeferredToolPlaceholder'),
      [],
    );
    model.say = () => ({ text: 'By 7 %.' });
    const { result } = await bed.succeed('By how much?', settings, { thread: first.thread });
    assert.equal(result.text, 'By 7 %.');
    const sent = JSON.stringify(model.requests.at(-1)?.body);
    for (const text of ['What does the report say?', 'Sales rose by 7 %.', 'By how much?'])
      assert.ok(sent.includes(text));
  });

  test('a tool that was not offered is denied, and the model goes on', async () => {
    model.say = inTurn(
      { calls: [{ id: 'toolu_1', name: 'Bash', args: { command: `touch ${folder}/evil` } }] },
      { text: 'I cannot.' },
    );
    const { result, messages } = await bed.succeed('Do it.', { ...settings, mcpServers: files });
    assert.equal(result.text, 'I cannot.');
    assert.match(said(messages).join('\n'), /tool!: .*Bash/);
  });

  test('a provider that refuses, and a limit of steps', async () => {
    model.say = () => ({ status: 401, message: 'no, key-of-anthropic' });
    const { error, messages } = await bed.fail('Hello', { ...settings, mcpServers: {} });
    assert.equal(error.code, 'model_failed');
    assert.doesNotMatch(error.message, /key-of-anthropic/);
    assert.deepEqual(said(messages), ['user: Hello']);
    model.say = () => ({ calls: [{ ...read, id: `toolu_${model.requests.length}` }] });
    const { result } = await bed.succeed('Loop.', { ...settings, mcpServers: files, maxSteps: 2 });
    assert.equal(result.reason, 'max_steps');
  });

  test('cancel ends the run; the thread keeps what was said', async () => {
    const bad = fixtureServer('hostile-stdio.ts');
    model.say = () => ({ text: 'I hang. ', calls: [{ id: 'toolu_1', name: 'mcp__bad__hang', args: {} }] });
    const { error, messages } = await bed.fail(
      'Hang.',
      { ...settings, mcpServers: { bad } },
      {
        onEvent: ([kind], abort) => void (kind === 'call' && setImmediate(() => abort.abort())),
      },
    );
    assert.equal(error.code, 'cancelled');
    assert.deepEqual(said(messages), ['user: Hang.', 'assistant: I hang.  →mcp__bad__hang']);
  });

  test('pml agent run: its servers are sessions with the gateway, which decides what the agent has', async (t) => {
    const pml = new Pml(t, {
      mcpServers: files,
      agents: { analyst: { ...settings, engine: 'claude', capabilities: { files: { tools: ['echo'] } } } },
    });
    mkdirSync(pml.home, { recursive: true });
    symlinkSync(join(home, 'node_modules'), join(pml.home, 'node_modules'));
    model.say = inTurn({ calls: [read] }, { text: 'Done.' });
    const run = ['agent', 'run', 'analyst', 'Hello'];
    const { code, stdout, stderr } = await pml.run(run, { env: { ...env, HOME: pml.dir } });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"type":"tool_result".*Sales rose by 7 %\./);
    assert.match(stdout, /"type":"end".*"text":"Done\."/);
    const offered = model.requests[0]?.tools ?? [];
    assert.deepEqual(
      offered.filter((name) => name.startsWith('mcp__files__')),
      ['mcp__files__echo'],
    );
    assert.ok(offered.includes('mcp__pml__pml_execute'));
  });

  test('a model that hangs', async () => {
    model.say = () => ({ text: 'I think', ends: 'hang' });
    const { error, messages } = await bed.fail('Hello', { ...settings, timeoutMs: 8000 });
    assert.match(error.message, /did nothing for 8 s/);
    assert.deepEqual(said(messages), ['user: Hello', 'assistant: I think']);
  });
});
