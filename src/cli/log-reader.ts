import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { closest } from '../edit-distance.ts';
import { PmlError } from '../errors.ts';
import { homeOf } from '../home.js';
import { logFileOf, readLog, serverOfLine } from '../log-lines.ts';
import { printable } from './table.ts';
import type { Terminal } from './terminal.ts';

const POLL_MS = 200;

/** Prints the last lines of the log, of one server or all. Returns where the file ends. */
export function showLog(terminal: Terminal, server: string | undefined, count: number): number {
  const home = homeOf(process.env);
  const log = readLog(home);
  if (!log)
    throw new PmlError('bad_request', `There is no log yet: ${logFileOf(home)}`, {
      hint: 'PML writes it when it runs: pml up, or a client that starts pml serve.',
    });
  const own = log.lines.filter((line) => isOf(line, server));
  if (server !== undefined && own.length === 0) throw unknownServer(server, log.lines);
  if (count > 0) for (const line of own.slice(-count)) terminal.print(printable(line));
  return log.bytes;
}

/** Prints lines as they come, until ctrl-C. The file may be replaced meanwhile, when it has grown too long. */
export async function followLog(terminal: Terminal, server: string | undefined, from: number): Promise<void> {
  const file = logFileOf(homeOf(process.env));
  let [at, rest] = [from, ''];
  await new Promise<void>((stop) => {
    const timer = setInterval(() => {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size < at) at = 0;
      if (size === at) return;
      const lines = `${rest}${readPart(file, at, size)}`.split('\n');
      at = size;
      rest = lines.pop() ?? '';
      for (const line of lines) if (isOf(line, server)) terminal.print(printable(line));
    }, POLL_MS);
    const end = () => {
      clearInterval(timer);
      stop();
    };
    process.once('SIGINT', end).once('SIGTERM', end);
  });
}

function readPart(file: string, from: number, to: number): string {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(to - from);
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, from)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}

function isOf(line: string, server: string | undefined): boolean {
  return server === undefined || serverOfLine(line) === server;
}

function unknownServer(server: string, lines: readonly string[]): PmlError {
  const known = [...new Set(lines.flatMap((line) => serverOfLine(line) ?? []))];
  const near = closest(server, known);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  const hint =
    known.length > 0 ? `Servers in the log: ${known.join(', ')}` : 'It has no lines of any server yet.';
  return new PmlError('bad_request', `The log has no lines of a server "${server}".${meant}`, { hint });
}
