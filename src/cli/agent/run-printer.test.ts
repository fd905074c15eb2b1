import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PmlError } from '../../errors.ts';
import type { Terminal } from '../terminal.ts';
import { jsonPrinter, textPrinter } from './run-printer.ts';

/** A terminal without colours, and what was printed on it. */
function screen(): { terminal: Terminal; printed: () => string; told: string[] } {
  let text = '';
  const told: string[] = [];
  const write = (piece: string) => {
    text += piece;
  };
  const terminal: Terminal = {
    interactive: false,
    columns: undefined,
    print: (line) => write(`${line}\n`),
    write,
    progress: (line) => told.push(line),
    warn: (line) => told.push(line),
    style: (_, piece) => piece,
    ask: async () => '',
  };
  return { terminal, printed: () => text, told };
}

const result = {
  text: 'Done.',
  reason: 'done',
  steps: 2,
  usage: { inputTokens: 20, outputTokens: 4, costUsd: 0.5 },
} as const;

test('a person reads what the model says as it comes, calls on lines of their own, and the count at the end', () => {
  const { terminal, printed, told } = screen();
  const { callbacks, ended } = textPrinter(terminal);
  for (const text of ['I lo', 'ok.']) callbacks.onText?.(text);
  callbacks.onToolCall?.({ id: 'c', name: 'mcp__fs__read', input: { path: 'a\nb' } });
  callbacks.onToolResult?.({ id: 'c', name: 'mcp__fs__read', output: 'one\ntwo', isError: false });
  callbacks.onToolResult?.({ id: 'd', name: 'mcp__fs__read', output: 'no', isError: true });
  callbacks.onText?.('Done.');
  ended(result, 't1');
  assert.equal(printed(), 'I look.\n→ mcp__fs__read {"path":"a\\nb"}\n  ✓ one\n  ✗ no\nDone.\n');
  assert.deepEqual(told, ['thread t1: 2 steps, 20 tokens sent, 4 received, $0.5000']);
});

test('neither the model nor a server can move the cursor or hide text on the terminal', () => {
  const { terminal, printed } = screen();
  const { callbacks } = textPrinter(terminal);
  callbacks.onText?.('a\u001b[2J\u009b1A\u202eb\r\b👩‍💻\tc\n');
  callbacks.onToolCall?.({ id: 'c', name: 'x\u001b]0;', input: {} });
  callbacks.onToolResult?.({ id: 'c', name: 'x', output: '\u001b[31mred', isError: false });
  assert.equal(printed(), 'a[2J1Ab👩‍💻\tc\n→ x]0; {}\n  ✓ [31mred\n');
});

test('a program reads one JSON object a line', () => {
  const { terminal, printed } = screen();
  const { callbacks, thread, ended, failed } = jsonPrinter(terminal);
  thread({ id: 't1', agent: 'analyst', createdAt: new Date(0) });
  callbacks.onText?.('a\nb');
  callbacks.onToolResult?.({ id: 'c', name: 'x', output: 'o', isError: true });
  ended(result, 't1');
  failed(new PmlError('model_failed', 'No.', { hint: 'Try.' }), 't1');
  const usage = { input_tokens: 20, output_tokens: 4, cost_usd: 0.5 };
  assert.deepEqual(
    printed()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { type: 'thread', id: 't1', agent: 'analyst', created_at: '1970-01-01T00:00:00.000Z' },
      { type: 'text', text: 'a\nb' },
      { type: 'tool_result', id: 'c', name: 'x', output: 'o', is_error: true },
      { type: 'end', thread: 't1', reason: 'done', steps: 2, text: 'Done.', usage },
      { type: 'error', code: 'model_failed', message: 'No.', hint: 'Try.', thread: 't1' },
    ],
  );
});
