import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

/** The parsed command line, and where to print. */
export interface Invocation {
  values: Record<string, string | boolean | string[] | undefined>;
  positionals: string[];
  /** Flags that are not the command's own, if it takes such: `true` if no value follows. */
  flags: readonly (readonly [name: string, value: string | true])[];
  terminal: Terminal;
}

/** Every file in `commands/` exports one of these as `command`. */
export interface Command {
  /** The text of `--help`: usage, purpose, examples, options. */
  help: string;
  options?: ParseArgsOptionsConfig;
  /** Positional arguments are allowed, such as a file name. */
  positionals?: boolean;
  /** Flags that are not in `options` are allowed: they are arguments of what it calls. */
  takesFlags?: boolean;
  /** The kind of thing that its positional arguments name, for completion: capabilities, these and tools, or servers. */
  completes?: 'capabilities' | 'callables' | 'servers';
  /** Says more than `help` for these arguments; undefined if there is nothing more to say. */
  helpFor?(invocation: Invocation): Promise<string | undefined>;
  run(invocation: Invocation): Promise<void>;
}
