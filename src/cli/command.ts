import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

/** The parsed command line, and where to print. */
export interface Invocation {
  values: Record<string, string | boolean | string[] | undefined>;
  positionals: string[];
  terminal: Terminal;
}

/** Every file in `commands/` exports one of these as `command`. */
export interface Command {
  /** The text of `--help`: usage, purpose, examples, options. */
  help: string;
  options?: ParseArgsOptionsConfig;
  /** Positional arguments are allowed, such as a file name. */
  positionals?: boolean;
  run(invocation: Invocation): Promise<void>;
}
