import type { AgentRunnerCallbacks, ThreadManifest } from '../../access/agents/index.ts';
import type { EngineResult } from '../../agents/index.ts';
import type { PmlError } from '../../errors.ts';
import { count, firstLine } from '../format-text.ts';
import { printable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** Shows a run of an agent while it goes on. */
export interface RunPrinter {
  readonly callbacks: AgentRunnerCallbacks;
  thread(thread: ThreadManifest): void;
  ended(result: EngineResult, thread: string): void;
  failed(error: PmlError, thread: string | undefined): void;
}

/** Prints one JSON object a line, for programs. */
export function jsonPrinter(terminal: Terminal): RunPrinter {
  const print = (type: string, event: object) => terminal.print(JSON.stringify({ type, ...event }));
  return {
    callbacks: {
      onText: (text) => print('text', { text }),
      onToolCall: (call) => print('tool_call', call),
      onToolResult: ({ id, name, output, isError }) =>
        print('tool_result', { id, name, output, is_error: isError }),
      onUsage: (usage) => print('usage', usageFields(usage)),
    },
    thread: ({ id, agent, createdAt }) => print('thread', { id, agent, created_at: createdAt }),
    ended: ({ text, reason, steps, usage }, thread) =>
      print('end', { thread, reason, steps, text, usage: usageFields(usage) }),
    failed: ({ code, message, hint }, thread) => print('error', { code, message, hint, thread }),
  };
}

function usageFields({ inputTokens, outputTokens, costUsd }: EngineResult['usage']): object {
  return { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

/** Prints what the model says as it comes, and what it does in between, for people. */
export function textPrinter(terminal: Terminal): RunPrinter {
  let isMidLine = false;
  const write = (text: string) => {
    if (text === '') return;
    terminal.write(text);
    isMidLine = !text.endsWith('\n');
  };
  const line = (text: string) => write(`${isMidLine ? '\n' : ''}${terminal.style('dim', text)}\n`);
  return {
    callbacks: {
      onText: (text) => write(printable(text)),
      onToolCall: ({ name, input }) => line(`→ ${printable(name)} ${shown(JSON.stringify(input), 120)}`),
      onToolResult: ({ output, isError }) => line(`  ${isError ? '✗' : '✓'} ${shown(String(output), 100)}`),
    },
    thread: () => {},
    ended: ({ steps, usage }, thread) => {
      if (isMidLine) write('\n');
      terminal.progress(`thread ${thread}: ${count(steps, 'step')}, ${usageText(usage)}`);
    },
    failed: () => {
      if (isMidLine) write('\n');
    },
  };
}

function usageText({ inputTokens, outputTokens, costUsd }: EngineResult['usage']): string {
  const cost = costUsd === undefined ? '' : `, $${costUsd.toFixed(4)}`;
  return `${inputTokens} tokens sent, ${outputTokens} received${cost}`;
}

function shown(text: string, length: number): string {
  return printable(firstLine(text, length));
}
