/** The engine on the `ai` package, against a model and MCP servers on this machine. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { PmlError } from '../../src/errors.ts';
import { runs } from '../../src/testing/effort.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { attempt, isAlive, waitForExit, within } from '../../src/testing/wait.ts';
import { openAgentBed, said } from '../support/agent-bed.ts';
import { inTurn } from '../support/chat-model.ts';
import { fixtureServer, npmServer } from '../support/pml.ts';
import { startModernHttp } from '../support/servers.ts';

const bed = await openAgentBed();
const { model } = bed;
const folder = mkdtempSync(join(scratchRoot(), 'pml-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'report.txt'), 'Sales rose by 7 %.');

const files = { files: npmServer('filesystem', folder) };
const hostile = { bad: fixtureServer('hostile-stdio.ts') };
const anthropic = { model: 'anthropic/claude-x' };

beforeEach(() => {
  model.requests.length = 0;
});

for (const [protocol, options] of Object.entries({ openai: {}, anthropic })) {
  test(`${protocol}: the model uses a tool of a real server, and the thread is resumed`, async () => {
    model.say = inTurn(
      {
        text: 'I look. ',
        calls: [{ name: 'mcp__files__read_text_file', args: { path: join(folder, 'report.txt') } }],
      },
      ({ last }) => ({ text: `It says: ${last}` }),
    );
    const first = await bed.succeed('What does the report say?', {
      ...options,
      mcpServers: files,
      systemPrompt: 'You analyse.',
    });
    assert.equal(first.result.text, 'It says: Sales rose by 7 %.');
    assert.equal(first.result.reason, 'done');
    assert.equal(first.result.steps, 2);
    assert.deepEqual(first.result.usage, { inputTokens: 200, outputTokens: 40 });
    assert.deepEqual(said(first.messages), [
      'user: What does the report say?',
      'assistant: I look.  →mcp__files__read_text_file',
      'tool: Sales rose by 7 %.',
      'assistant: It says: Sales rose by 7 %.',
    ]);
    const kinds = first.events.map(([kind]) => kind).filter((kind, at, all) => kind !== all[at - 1]);
    assert.deepEqual(kinds, ['text', 'usage', 'call', 'result', 'text', 'usage']);
    assert.ok(model.requests[0]?.tools.includes('mcp__files__write_file'));
    assert.match(JSON.stringify(model.requests[0]?.body), /You analyse\./);

    model.say = () => ({ text: 'By 7 %, as I said.' });
    const { messages, result } = await bed.succeed('By how much?', options, { thread: first.thread });
    assert.equal(result.text, 'By 7 %, as I said.');
    assert.equal(messages.length, 6);
    // The provider gets the whole conversation.
    const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
    for (const text of ['What does the report say?', 'Sales rose by 7 %.', 'By how much?'])
      assert.ok(sent.includes(text));
  });

  test(`${protocol}: a tool that was not offered, and arguments that are no JSON: the model is told and goes on`, async () => {
    model.say = inTurn(
      { calls: [{ name: 'mcp__files__delete.everything', args: {} }] },
      { calls: [{ name: 'mcp__files__read_text_file', args: '{"path": ' }] },
      { calls: [{ name: 'mcp__files__read_text_file', args: '["a"]' }] },
      { text: 'I give up.' },
    );
    const { result, messages } = await bed.succeed('Do it.', { ...options, mcpServers: files });
    assert.equal(result.text, 'I give up.');
    const answers = messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
    assert.match(
      answers[0] as string,
      /^There is no tool "mcp__files__delete.everything"\. Use only the tools/,
    );
    assert.match(answers[1] as string, /^The arguments are not JSON .*Send one JSON object\.$/);
    assert.equal(answers[2], 'The arguments must be one JSON object.');
    assert.match(model.requests[1]?.last as string, /There is no tool/);
  });

  test(`${protocol}: a stream that breaks, ends early or holds an error: a clear error, and the thread keeps what was said`, async () => {
    const cases = {
      garbage: /broke off/,
      cut: /broke off/,
      end: /broke off/,
      error: /broke off.*overloaded|answered/,
    };
    for (const [ends, expected] of Object.entries(cases)) {
      model.say = () => ({ text: 'I begin', ends: ends as 'cut' });
      const { error, messages } = await bed.fail('Begin.', options);
      assert.equal(error.code, 'model_failed', ends);
      assert.match(error.message, expected, ends);
      assert.ok(error.hint, ends);
      // When the connection is lost, what has arrived may be lost with it.
      const kept = ['user: Begin.', 'assistant: I begin'];
      assert.deepEqual(said(messages), kept.slice(0, ends === 'cut' ? messages.length : 2), ends);
    }
  });

  test(`${protocol}: the provider refuses, limits or fails`, async () => {
    const cases: [number, Record<string, string>, RegExp, RegExp][] = [
      [401, {}, /answered 401/, /key/i],
      [404, {}, /answered 404/, /name of the model/],
      [400, {}, /answered 400/, /--thread/],
      [429, { 'retry-after': '3600' }, /answered 429/, /in 3600 s/],
      [500, {}, /answered 500/, /on the side of the provider/],
    ];
    for (const [status, headers, message, hint] of cases) {
      model.say = () => ({ status, headers, message: 'refused, with key-of-anthropic' });
      const { error, messages } = await bed.fail('Hello', options);
      assert.equal(error.code, 'model_failed');
      assert.match(error.message, message);
      assert.match(error.hint as string, hint);
      if (protocol === 'anthropic') assert.doesNotMatch(error.message, /key-of-anthropic/);
      assert.deepEqual(said(messages), ['user: Hello']);
    }
  });
}

/** Pieces of streams as providers send them, and as they should not. */
const piece = fc.constantFrom(
  'data: {"choices":[{"delta":{"content":"words"},"finish_reason":null}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x.y","arguments":"{}"}}]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"a\\":"}}]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"name":"z","arguments":"[1"}}]}}]}\n\n',
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":"many","completion_tokens":null}}\n\n',
  'data: {"choices":[{"delta":null}]}\n\n',
  'data: [DONE]\n\n',
  'data: {"error":{"message":"no"}}\n\n',
  'data: nonsense\n\n',
  ': a comment\n\n',
  'event: odd\nid: 7\nretry: x\n\n',
  '\0\ufffd{"choices":',
  '\n\n',
);

test('whatever a provider streams, a run ends with an answer or a clear error, and the thread stays sound', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      model.say = () => ({ raw: pieces.join('') });
      const { outcome, messages, thread } = await bed.run('Hello', { maxSteps: 2 });
      if (outcome instanceof PmlError) assert.equal(outcome.code, 'model_failed');
      assert.equal(messages[0]?.text, 'Hello');
      model.say = () => ({ text: 'Sound.' });
      assert.equal((await bed.succeed('Go on', {}, { thread })).result.text, 'Sound.');
    }),
    runs(60),
  );
});

test('a limit that ends soon is waited for', async () => {
  model.say = inTurn({ status: 429, headers: { 'retry-after-ms': '10' } }, { text: 'Now.' });
  const { result } = await bed.succeed('Hello', { maxRetries: 1 });
  assert.equal(result.text, 'Now.');
  assert.equal(model.requests.length, 2);
});

test('a provider that cannot be reached, and one that hangs before or in its answer', async () => {
  const { error } = await bed.fail('Hello', { model: 'http://127.0.0.1:9/v1#m' });
  assert.match(error.message, /could not be reached at http:\/\/127\.0\.0\.1:9\/v1/);
  // The text must arrive in time, also on a busy machine.
  for (const [text, timeoutMs] of [
    ['', 300],
    ['I think', 3000],
  ] as const) {
    model.say = () => ({ text, ends: 'hang' });
    const expected = ['user: Hello', ...(text ? [`assistant: ${text}`] : [])];
    const silent = await attempt(
      () => bed.fail('Hello', { timeoutMs }),
      ({ messages }) => messages.length === expected.length,
    );
    assert.match(silent.error.message, new RegExp(`sent nothing for ${timeoutMs / 1000} s`));
    assert.deepEqual(said(silent.messages), expected);
    await within(model.closed, 60_000, 'the end of the request');
  }
});

test('a model that never stops talking is stopped', async () => {
  model.say = () => ({ text: 'x'.repeat(500_000) });
  const { error } = await bed.fail('Hello');
  assert.match(error.message, /did not end its answer/);
});

test('a model that asks for tools again and again ends at the limit of steps, and can go on', async () => {
  model.say = () => ({ calls: [{ name: 'mcp__bad__echo', args: { text: 'again' } }] });
  const { result, thread, messages } = await bed.succeed('Loop.', { mcpServers: hostile, maxSteps: 3 });
  assert.equal(result.reason, 'max_steps');
  assert.equal(model.requests.length, 3);
  assert.equal(messages.length, 7);
  model.say = () => ({ text: 'Done.' });
  assert.equal((await bed.succeed('Go on.', {}, { thread })).result.text, 'Done.');
});

test('a server that dies in a call is started again for the next one', async () => {
  model.say = inTurn(
    { calls: [{ name: 'mcp__bad__die', args: {} }] },
    ({ last }) => ({ text: last, calls: [{ name: 'mcp__bad__echo', args: { text: 'alive' } }] }),
    ({ last }) => ({ text: last }),
  );
  const { result, messages } = await bed.succeed('Kill it.', { mcpServers: hostile });
  assert.equal(result.text, 'alive');
  assert.match(
    messages[2]?.text as string,
    /^The server "bad" exited with code 7\. Call again to start it anew\.$/,
  );
});

test('calls that come at once after a server died start it once', async () => {
  const starts = join(folder, 'starts');
  const bad = fixtureServer('hostile-stdio.ts', `--starts=${starts}`);
  const echo = (text: string) => ({ name: 'mcp__bad__echo', args: { text } });
  model.say = inTurn(
    { calls: [{ name: 'mcp__bad__die', args: {} }] },
    { calls: [echo('a'), echo('b'), echo('c')] },
    ({ last }) => ({ text: last }),
  );
  assert.equal((await bed.succeed('Kill it.', { mcpServers: { bad } })).result.text, 'c');
  assert.equal(readFileSync(starts, 'utf8').trim().split('\n').length, 2);
});

test('a server that cannot be started ends the run before the model is asked, and the others with it', async () => {
  const slow = fixtureServer('hostile-stdio.ts', '--start=hang');
  const gone = fixtureServer('hostile-stdio.ts', '--start=die');
  const started = bed.fail('Hello', { mcpServers: { ...hostile, slow, gone } });
  // A server that hangs at its start would take a minute.
  const { error, messages } = await within(started, 55_000, 'the end of the run');
  assert.equal(error.code, 'upstream_unreachable');
  assert.match(error.message, /The server of the capability "gone" could not be used: it exited with code 3/);
  assert.equal(model.requests.length, 0);
  assert.deepEqual(said(messages), ['user: Hello']);
});

test('a huge result is cut for the model, which is told so', async () => {
  model.say = inTurn({ calls: [{ name: 'mcp__bad__big', args: { bytes: 3_000_000 } }] }, { text: 'Large.' });
  await bed.succeed('Get it.', { mcpServers: hostile });
  const { last } = model.requests[1] as { last: string };
  assert.equal(last.length, 60_000);
  assert.match(
    last,
    /3000000 characters in all; the rest was left out\. Ask for less, or work with it in code\.$/,
  );
});

test('cancel ends the model request; the thread keeps what was said', async () => {
  model.say = () => ({ text: 'I think', ends: 'hang' });
  const { error, messages } = await bed.fail('Hello', {}, { onEvent: (_, abort) => abort.abort() });
  assert.equal(error.code, 'cancelled');
  await within(model.closed, 60_000, 'the end of the request');
  assert.match(said(messages).join('\n'), /^user: Hello\nassistant: I/);
});

test('cancel ends the tool calls and the server processes; a resumed thread answers the open call', async () => {
  model.say = inTurn(
    { calls: [{ name: 'mcp__bad__pid', args: {} }] },
    { calls: [{ id: 'h', name: 'mcp__bad__hang', args: {} }] },
  );
  let pid = 0;
  const { error, messages, thread } = await bed.fail(
    'Hang.',
    { mcpServers: hostile },
    {
      onEvent: ([kind, name, output], abort) => {
        if (kind === 'result') pid = Number(output);
        if (kind === 'call' && name === 'mcp__bad__hang') setImmediate(() => abort.abort());
      },
    },
  );
  assert.equal(error.code, 'cancelled');
  assert.equal(isAlive(pid), false);
  assert.equal(said(messages).at(-1), 'assistant:  →mcp__bad__hang');
  model.say = () => ({ text: 'Going on.' });
  await bed.succeed('Go on.', {}, { thread });
  const sent = model.requests.at(-1)?.body.messages;
  assert.match(JSON.stringify(sent), /The run ended before this call was answered/);
});

test('a remote server is used, and one that is not there ends the run', async (t) => {
  const url = await startModernHttp(t);
  model.say = inTurn(({ tools }) => ({ calls: [{ name: tools[0] as string, args: {} }] }), { text: 'Done.' });
  const { messages } = await bed.succeed('Hello', { mcpServers: { remote: { type: 'http', url } } });
  assert.match(said(messages)[1] as string, /→mcp__remote__/);
  assert.equal(messages.length, 4);
  const gone = await bed.fail('Hello', {
    mcpServers: { remote: { type: 'http', url: 'http://127.0.0.1:9/mcp' } },
  });
  assert.equal(gone.error.code, 'upstream_unreachable');
});

test('a run that ends leaves no server process', async () => {
  model.say = inTurn({ calls: [{ name: 'mcp__bad__pid', args: {} }] }, { text: 'Done.' });
  const { messages } = await bed.succeed('Hello', { mcpServers: hostile });
  await waitForExit(Number(messages[2]?.text));
});

test('calls of one step with one id are answered each', async () => {
  const call = (text: string) => ({ id: 'same', name: 'mcp__bad__echo', args: { text } });
  model.say = inTurn({ calls: [call('one'), call('two')] }, { text: 'Both.' });
  const { messages } = await bed.succeed('Two.', { mcpServers: hostile });
  assert.deepEqual(said(messages).slice(2, 4).sort(), ['tool: one', 'tool: two']);
});

test('a step costs what the config says, and nothing is invented', async () => {
  model.say = () => ({ text: 'Done.' });
  const { result } = await bed.succeed('Hello', { model: `${model.url}#priced` });
  assert.deepEqual(result.usage, { inputTokens: 100, outputTokens: 20, costUsd: (100 * 2 + 20 * 10) / 1e6 });
  assert.equal((await bed.succeed('Hello')).result.usage.costUsd, undefined);
});

test('token counts that cannot be are none', async () => {
  for (const usage of [
    { input: -5, output: 1.5 },
    { input: 1e300, output: 20 },
  ]) {
    model.say = () => ({ text: 'Done.', usage });
    const { result } = await bed.succeed('Hello', { model: `${model.url}#priced` });
    const outputTokens = usage.output === 20 ? 20 : 0;
    assert.deepEqual(result.usage, { inputTokens: 0, outputTokens, costUsd: (outputTokens * 10) / 1e6 });
  }
});

test('without a model, or without its key, the error says what to set', async () => {
  const none = await bed.fail('Hello', { model: undefined as never });
  assert.match(none.error.message, /no model/);
  assert.match(none.error.hint as string, /"model" of the agent in pml\.json, or give --model/);
  const keyless = await bed.fail('Hello', { model: 'openai/gpt' });
  assert.match(keyless.error.message, /OPENAI_API_KEY/);
  assert.deepEqual(keyless.messages, []);
});

test('an answer that its own limit or a filter ended is no failure, and says so', async () => {
  for (const [finish, reason] of [
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ] as const) {
    model.say = () => ({ text: 'Half', finish });
    assert.equal((await bed.succeed('Hello')).result.reason, reason);
  }
});
