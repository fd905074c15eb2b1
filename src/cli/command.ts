import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

export interface Invocation {
  values: Record<string, string | boolean | string[] | undefined>;
  positionals: string[];
  terminal: Terminal;
}

/** One word of the command line. */
export interface Command {
  summary: string;
  /** What `--help` shows: how it is used, in examples. */
  help: string;
  options?: ParseArgsOptionsConfig;
  /** Whether words may follow that are no options, such as a file. */
  positionals?: boolean;
  /** Not shown; for PML's own use. */
  hidden?: boolean;
  run(invocation: Invocation): Promise<void>;
}
