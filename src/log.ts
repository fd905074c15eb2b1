import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Redactor } from './secrets/index.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** One kept file and one former one, each about this long: a log must not fill the disk it reports on. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_LINE = 4000;

export interface Log {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** The same log, each line marked with where it comes from. */
  labelled(label: string): Log;
  /** Values that must never be written, such as keys taken from the environment. */
  hide(secrets: readonly string[]): void;
}

export interface LogOptions {
  level: LogLevel;
  file?: string;
  /** Also here, for a process that runs in the foreground. */
  print?: (line: string) => void;
}

/** Opens the log. A log that cannot be written is silent: it must never be what fails. */
export function openLog(options: LogOptions): Log {
  const threshold = LEVELS.indexOf(options.level);
  const redactor = new Redactor();
  if (options.file) tryTo(() => mkdirSync(dirname(options.file as string), { recursive: true, mode: 0o700 }));

  const write = (level: LogLevel, label: string, text: string) => {
    if (LEVELS.indexOf(level) < threshold) return;
    const body = redactor.text(text, MAX_LINE);
    const line = `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${label}${body}`;
    options.print?.(line);
    const { file } = options;
    if (file) tryTo(() => append(file, `${line}\n`));
  };

  const labelled = (label: string): Log => ({
    debug: (text) => write('debug', label, text),
    info: (text) => write('info', label, text),
    warn: (text) => write('warn', label, text),
    error: (text) => write('error', label, text),
    labelled: (inner) => labelled(`${label}[${inner}] `),
    hide: (values) => redactor.add(values),
  });
  return labelled('');
}

function append(file: string, line: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_FILE_BYTES) renameSync(file, `${file}.old`);
  appendFileSync(file, line, { mode: 0o600 });
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // The disk is full or gone; whoever needs it will say so.
  }
}
