import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PmlError } from './errors.ts';

export interface LogLine {
  at: string;
  level: string;
  text: string;
}

/** `2026-01-01T00:00:00.000Z INFO  [server] text`. */
const LINE = /^(\S+) +([A-Z]+) +(.*)$/s;
const LABEL = /^\S+ +[A-Z]+ +\[([^\]]+)\] /;
/** The line about the use of a former name, which scripts look for: its `[WARN]` is no server's label. */
const NO_SERVER = /^\S+ +WARN +\[WARN\] Deprecated: /;

/** The file of the log of a home. */
export function logFileOf(home: string): string {
  return join(home, 'log', 'pml.log');
}

/** Reads all lines of the log, from its old file and the current one. `bytes` is the length of the current one. */
export function readLog(home: string): { lines: string[]; bytes: number } | undefined {
  const file = logFileOf(home);
  const newest = readIfPresent(file);
  if (newest === undefined) return undefined;
  const lines = `${readIfPresent(`${file}.old`) ?? ''}${newest}`.split('\n');
  return { lines: lines.filter((line) => line !== ''), bytes: Buffer.byteLength(newest) };
}

/** Names the server that a line of the log is about. */
export function serverOfLine(line: string): string | undefined {
  return NO_SERVER.test(line) ? undefined : LABEL.exec(line)?.[1];
}

/** Parses a line of the log; undefined for the continuation of an entry with several lines. */
export function parseLogLine(line: string): LogLine | undefined {
  const [, at, level, text] = LINE.exec(line) ?? [];
  if (at === undefined || level === undefined || text === undefined) return undefined;
  return { at, level: level.toLowerCase(), text };
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PmlError('home_unusable', `The log cannot be read: ${messageOf(error)}`);
  }
}
