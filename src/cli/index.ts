import { parseArgs } from 'node:util';
import { AttachError } from '../daemon/attach.js';
import { messageOf, PmlError } from '../errors.ts';
import { missingPackage } from '../runtime.js';
import { VERSION } from '../version.ts';
import type { Command } from './command.ts';
import { listedCommands, loadCommand } from './commands/index.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** Runs one command. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function main(args: readonly string[]): Promise<void> {
  const terminal = openTerminal();
  const [name = '--help', ...rest] = args;
  if (name === '--version' || name === '-v') return terminal.print(VERSION);
  if (name === '--help' || name === '-h' || name === 'help') {
    const about = rest[0] ? await loadCommand(rest[0]) : undefined;
    return terminal.print(about ? about.help : overview(terminal));
  }
  const command = await loadCommand(name);
  if (!command) return misuse(terminal, `unknown command "${name}". Try pml --help.`);
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(command, rest);
  } catch (error) {
    return misuse(terminal, `${messageOf(error)}\nTry pml ${name} --help.`);
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
  terminal.warn(missingPackage(error) ?? `internal error in PML: ${shown}`);
}

function misuse(terminal: Terminal, text: string): void {
  terminal.warn(text);
  process.exitCode = 2;
}

function overview(terminal: Terminal): string {
  const lines = listedCommands().map(
    ({ name, summary }) => `  ${terminal.style('bold', name.padEnd(8))}  ${summary}`,
  );
  return `PML ${VERSION}: all your MCP servers behind one endpoint.

Usage: pml <command> [options]

${lines.join('\n')}

  pml <command> --help says more. Start with:

    pml init                         import the servers of your MCP clients
    pml up                           serve them on http://127.0.0.1:3737/mcp
    claude mcp add pml -- pml serve  or let a client start PML itself`;
}
