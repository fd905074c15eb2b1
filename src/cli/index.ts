import { parseArgs } from 'node:util';
import { AttachError } from '../daemon/attach.js';
import { messageOf, PmlError } from '../errors.ts';
import { missingPackage } from '../runtime.js';
import { VERSION } from '../version.ts';
import type { Command } from './command.ts';
import { daemonCommand } from './daemon.ts';
import { doctorCommand } from './doctor.ts';
import { downCommand } from './down.ts';
import { execCommand } from './exec.ts';
import { initCommand } from './init.ts';
import { REGISTRY_COMMANDS } from './registry/index.ts';
import { runCommand } from './run.ts';
import { serveCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { trustCommand } from './trust.ts';
import { upCommand } from './up.ts';

const COMMANDS: Record<string, Command> = {
  serve: serveCommand,
  up: upCommand,
  down: downCommand,
  status: statusCommand,
  exec: execCommand,
  run: runCommand,
  ...REGISTRY_COMMANDS,
  init: initCommand,
  trust: trustCommand,
  doctor: doctorCommand,
  daemon: daemonCommand,
};

/** Runs one command. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function main(args: readonly string[]): Promise<void> {
  const terminal = openTerminal();
  const [word = '--help', ...rest] = args;
  if (word === '--version' || word === '-v') return terminal.print(VERSION);
  if (word === '--help' || word === '-h' || word === 'help') {
    const about = rest[0] ? COMMANDS[rest[0]] : undefined;
    return terminal.print(about ? about.help : overview(terminal));
  }
  const command = COMMANDS[word];
  if (!command) return misuse(terminal, `unknown command "${word}". Try pml --help.`);
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(command, rest);
  } catch (error) {
    return misuse(terminal, `${messageOf(error)}\nTry pml ${word} --help.`);
  }
  if (parsed.values.help) return terminal.print(command.help);
  try {
    await command.run({ ...parsed, terminal });
  } catch (error) {
    process.exitCode = 1;
    report(terminal, error);
  }
}

function parse(command: Command, args: string[]) {
  const parsed = parseArgs({
    args,
    options: { ...command.options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    strict: true,
  });
  const [extra] = command.positionals ? [] : parsed.positionals;
  if (extra !== undefined) throw new Error(`unexpected "${extra}"`);
  return parsed;
}

function report(terminal: Terminal, error: unknown): void {
  if (error instanceof PmlError || error instanceof AttachError) {
    terminal.warn(error.hint ? `${error.message}\n     ${error.hint}` : error.message);
    if (error.code === 'bad_request') process.exitCode = 2;
    return;
  }
  const shown = error instanceof Error ? error.stack : String(error);
  terminal.warn(missingPackage(error) ?? `failed, which is a fault of PML's own: ${shown}`);
}

function misuse(terminal: Terminal, text: string): void {
  terminal.warn(text);
  process.exitCode = 2;
}

function overview(terminal: Terminal): string {
  const shown = Object.entries(COMMANDS).filter(([, { hidden }]) => !hidden);
  const lines = shown.map(([name, { summary }]) => `  ${terminal.style('bold', name.padEnd(8))}  ${summary}`);
  return `PML ${VERSION}: all your MCP servers behind one endpoint.

Usage: pml <command> [options]

${lines.join('\n')}

  pml <command> --help says more. Start with:

    pml init                         take over the servers of your MCP clients
    pml up                           serve them on http://127.0.0.1:3737/mcp
    claude mcp add pml -- pml serve  or let a client start PML itself`;
}
