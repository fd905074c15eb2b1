import { LogFile } from './log-file.ts';
import { Redactor } from './secrets/index.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

const MAX_LINE = 4000;

export interface Log {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Returns a log that writes to the same place and puts a label before each line. */
  labelled(label: string): Log;
  /** Hides these values from now on, such as keys from the environment. */
  hide(secrets: readonly string[]): void;
  /** Hides the secrets of a run for a while. */
  hideRecent(secrets: readonly string[]): void;
  /** True if lines of this level are written at all. */
  writes(level: LogLevel): boolean;
}

export interface LogOptions {
  level: LogLevel;
  file?: string;
  /** Also gets each line, for a process in the foreground. */
  print?: (line: string) => void;
}

/** Opens the log. It never throws: a log that cannot be written stays silent. */
export function openLog(options: LogOptions): Log {
  const threshold = LEVELS.indexOf(options.level);
  const redactor = new Redactor();
  const file = options.file === undefined ? undefined : new LogFile(options.file);

  const writes = (level: LogLevel) => LEVELS.indexOf(level) >= threshold;
  const write = (level: LogLevel, label: string, text: string) => {
    if (!writes(level)) return;
    const body = redactor.text(text, MAX_LINE);
    const line = `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${label}${body}`;
    options.print?.(line);
    file?.add(line);
    // An error may be the last line of the process.
    if (level === 'error') file?.flush();
  };

  const labelled = (label: string): Log => ({
    debug: (text) => write('debug', label, text),
    info: (text) => write('info', label, text),
    warn: (text) => write('warn', label, text),
    error: (text) => write('error', label, text),
    labelled: (inner) => labelled(`${label}[${inner}] `),
    hide: (values) => redactor.add(values),
    hideRecent: (values) => redactor.hideRecent(values),
    writes,
  });
  return labelled('');
}
