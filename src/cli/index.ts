import { DaemonConnectError } from '../daemon/connect-daemon.js';
import { messageOf, PmlError } from '../errors.ts';
import { missingPackage } from '../runtime.js';
import { VERSION } from '../version.ts';
import { inCommandWords } from './command-words.ts';
import { listedCommands, loadCommand, suggestCommand } from './commands/index.ts';
import { parseArguments } from './parse-arguments.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** Runs one command. Exit codes: 0 done, 1 failed, 2 wrong use. */
export async function main(args: readonly string[]): Promise<void> {
  const terminal = openTerminal();
  try {
    await runCommand(args, terminal);
  } catch (error) {
    const isJson = args.includes('--json') && !args.slice(0, args.indexOf('--json')).includes('--');
    report(terminal, error, isJson);
  }
}

async function runCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  const [name = '--help', ...rest] = args;
  if (name === '--version' || name === '-v') return terminal.print(VERSION);
  if (name === '--help' || name === '-h' || name === 'help') {
    if (rest[0] === undefined) return terminal.print(overview(terminal));
    return terminal.print((await findCommand(rest[0])).help);
  }
  // The script that `pml completion` prints runs this to complete a line: pml completion words -- TYPED…
  if (name === 'completion' && rest[0] === 'words') {
    const { completeWords } = await import('./completion.ts');
    return terminal.write(await completeWords(rest.slice(2), { listedCommands, loadCommand }, terminal));
  }
  const command = await findCommand(name);
  const parsed = parseArguments(name, command, rest);
  const invocation = { ...parsed, terminal };
  if (!parsed.values.help) return command.run(invocation);
  terminal.print((await command.helpFor?.(invocation)) ?? command.help);
}

async function findCommand(name: string) {
  const command = await loadCommand(name);
  if (command) return command;
  const near = suggestCommand(name);
  const meant = near === undefined ? '' : ` Did you mean pml ${near}?`;
  throw new PmlError('bad_request', `There is no command "${name}".${meant}`, { hint: 'Try pml --help.' });
}

/** Prints a failure: for people on stderr, with `--json` on stdout, as PML's tools answer it. */
function report(terminal: Terminal, error: unknown, isJson: boolean): void {
  const { code, message, hint } = failureOf(error);
  process.exitCode = code === 'bad_request' ? 2 : 1;
  if (isJson) terminal.print(JSON.stringify({ status: 'error', error: { code, message, hint } }));
  else terminal.warn(inCommandWords(hint ? `${message}\n     ${hint}` : message));
}

function failureOf(error: unknown): { code: string; message: string; hint?: string | undefined } {
  if (error instanceof PmlError || error instanceof DaemonConnectError) return error;
  const missing = missingPackage(error);
  if (missing !== undefined) return { code: 'internal', message: missing };
  const shown = error instanceof Error ? (error.stack ?? messageOf(error)) : String(error);
  return { code: 'internal', message: `internal error in PML: ${shown}` };
}

function overview(terminal: Terminal): string {
  const lines = listedCommands().map(
    ({ name, summary }) => `  ${terminal.style('bold', name.padEnd(10))}  ${summary}`,
  );
  return `PML ${VERSION}: all your MCP servers behind one endpoint.

Usage: pml <command> [options]

${lines.join('\n')}

  pml <command> --help says more. Start with:

    pml init                         import the servers of your MCP clients
    pml up                           serve them on http://127.0.0.1:3737/mcp
    claude mcp add pml -- pml serve  or let a client start PML itself`;
}
