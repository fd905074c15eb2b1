import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from '../edit-distance.ts';
import { messageOf, PmlError } from '../errors.ts';
import { homeOf } from '../home.js';
import { printable } from './table.ts';
import type { Terminal } from './terminal.ts';

const POLL_MS = 200;
/** `2026-01-01T00:00:00.000Z INFO  [server] text`. */
const LABEL = /^\S+ +[A-Z]+ +\[([^\]]+)\] /;

function logFile(): string {
  return join(homeOf(process.env), 'log', 'pml.log');
}

/** Prints the last lines of the log, of one server or all. Returns where the file ends. */
export function showLog(terminal: Terminal, server: string | undefined, count: number): number {
  const file = logFile();
  const newest = readIfPresent(file);
  if (newest === undefined)
    throw new PmlError('bad_request', `There is no log yet: ${file}`, {
      hint: 'PML writes it when it runs: pml up, or a client that starts pml serve.',
    });
  const all = linesOf(`${readIfPresent(`${file}.old`) ?? ''}${newest}`);
  const own = all.filter((line) => isOf(line, server));
  if (server !== undefined && own.length === 0) throw unknownServer(server, all);
  if (count > 0) for (const line of own.slice(-count)) terminal.print(printable(line));
  return Buffer.byteLength(newest);
}

/** Prints lines as they come, until ctrl-C. The file may be replaced meanwhile, when it has grown too long. */
export async function followLog(terminal: Terminal, server: string | undefined, from: number): Promise<void> {
  const file = logFile();
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
    // The reader of a pipe may leave first.
    process.stdout.once('error', end);
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

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PmlError('home_unusable', `The log cannot be read: ${messageOf(error)}`);
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function isOf(line: string, server: string | undefined): boolean {
  return server === undefined || LABEL.exec(line)?.[1] === server;
}

function unknownServer(server: string, lines: readonly string[]): PmlError {
  const known = [...new Set(lines.flatMap((line) => LABEL.exec(line)?.[1] ?? []))];
  const near = closest(server, known);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  const hint = known.length > 0 ? `It speaks of: ${known.join(', ')}` : 'It speaks of no server yet.';
  return new PmlError('bad_request', `The log says nothing of a server "${server}".${meant}`, { hint });
}
