import type { ParseArgsOptionsConfig } from 'node:util';
import { PmlError } from '../errors.ts';
import { callTool } from './call-tool.ts';
import type { Command, Invocation } from './command.ts';
import { stringOption } from './option-values.ts';
import type { Terminal } from './terminal.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tool validates its own answer
export type ToolAnswer = any;

/** A command that is one call of one of PML's own tools. */
interface ToolCommand {
  tool: string;
  /** The command line, without `pml` and `--json`. */
  usage: string;
  about: string;
  options?: ParseArgsOptionsConfig;
  /** The kind of thing that its positional arguments name, for completion. */
  completes?: Command['completes'];
  /** How many positional arguments it takes. */
  positionals: [least: number, most: number];
  input(invocation: Invocation): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** Formats the answer for people; `--json` prints the answer itself. */
  format(answer: ToolAnswer, terminal: Terminal, invocation: Invocation): string;
}

export function toolCommand(definition: ToolCommand): Command {
  const { tool, usage, about, options, positionals: allowed, completes, input, format } = definition;
  return {
    help: `Usage: pml ${usage} [--json]\n\n${about}\n\n  --json  print exactly what ${tool} answers`,
    options: { ...options, config: { type: 'string' }, json: { type: 'boolean' } },
    positionals: true,
    ...(completes && { completes }),
    run: async (invocation) => {
      const { values, positionals, terminal } = invocation;
      const [least, most] = allowed;
      if (positionals.length < least || positionals.length > most)
        throw new PmlError('bad_request', `Usage: pml ${usage}`);
      const config = stringOption(invocation, 'config');
      const answer = await callTool(terminal, tool, withoutUndefined(await input(invocation)), config);
      terminal.print(values.json ? JSON.stringify(answer) : format(answer, terminal, invocation));
    },
  };
}

function withoutUndefined(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
