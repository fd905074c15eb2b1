import type { ParseArgsOptionsConfig } from 'node:util';
import { PmlError } from '../../errors.ts';
import { callTool } from '../call.ts';
import type { Command, Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a tool answers is checked where it is made
export type Answer = any;

/** A command that is one call of a tool of PML's own. */
export interface ToolCommand {
  tool: string;
  summary: string;
  /** What follows `pml`. */
  usage: string;
  about: string;
  options?: ParseArgsOptionsConfig;
  /** How many words follow the command. */
  words: [least: number, most: number];
  input(invocation: Invocation): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** For people; `--json` prints the answer itself. */
  show(answer: Answer, terminal: Terminal): string;
}

export function toolCommand(definition: ToolCommand): Command {
  const { tool, summary, usage, about, options, words, input, show } = definition;
  return {
    summary,
    help: `Usage: pml ${usage} [--json]\n\n${about}\n\n  --json  print exactly what ${tool} answers`,
    options: { ...options, config: { type: 'string' }, json: { type: 'boolean' } },
    positionals: true,
    run: async (invocation) => {
      const { values, positionals, terminal } = invocation;
      const [least, most] = words;
      if (positionals.length < least || positionals.length > most)
        throw new PmlError('bad_request', `Usage: pml ${usage}`);
      const config = typeof values.config === 'string' ? values.config : undefined;
      const answer = await callTool(terminal, tool, given(await input(invocation)), config);
      terminal.print(values.json ? JSON.stringify(answer) : show(answer, terminal));
    },
  };
}

/** What was not given is not sent. */
function given(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/** A comma-separated list; an empty text is an empty one. */
export function listOf(value: unknown): string[] | undefined {
  if (typeof value !== 'string') return undefined;
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

export function numberOf(value: unknown, option: string): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(String(value))) return Number(value);
  throw new PmlError('bad_request', `${option} must be a number.`);
}
