import { LogFile } from './log-file.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

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
  /** Whether lines of this level are written at all. */
  writes(level: LogLevel): boolean;
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
  const secrets = new Secrets();
  const file = options.file === undefined ? undefined : new LogFile(options.file);

  const writes = (level: LogLevel) => LEVELS.indexOf(level) >= threshold;
  const write = (level: LogLevel, label: string, text: string) => {
    if (!writes(level)) return;
    const clean = secrets.hideIn(text, MAX_LINE);
    const body = text.length > MAX_LINE ? `${clean.slice(0, MAX_LINE)}…` : clean;
    const line = `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${label}${body}`;
    options.print?.(line);
    file?.add(line);
    // It may be the last one.
    if (level === 'error') file?.flush();
  };

  const labelled = (label: string): Log => ({
    debug: (text) => write('debug', label, text),
    info: (text) => write('info', label, text),
    warn: (text) => write('warn', label, text),
    error: (text) => write('error', label, text),
    labelled: (inner) => labelled(`${label}[${inner}] `),
    hide: (values) => secrets.add(values),
    writes,
  });
  return labelled('');
}

/** A short value would blank out innocent text everywhere. */
const SHORTEST_SECRET = 6;

/** Values that nobody may read where PML prints or logs. */
export class Secrets {
  /** The longest first: one may hold another. */
  #forms: string[] = [];

  add(values: readonly string[]): void {
    // A key of several lines is printed line by line, and one in JSON with its line ends escaped.
    const forms = values.flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      ...value.split(/\r?\n/),
    ]);
    const known = new Set([...this.#forms, ...forms.filter(({ length }) => length >= SHORTEST_SECRET)]);
    this.#forms = [...known].sort((a, b) => b.length - a.length);
  }

  /** The text, or about as much of its beginning as is wanted, without them. None is cut in two and so missed. */
  hideIn(text: string, wanted = text.length): string {
    const margin = this.#forms[0]?.length ?? 0;
    const cut = text.length > wanted + margin;
    let clean = cut ? text.slice(0, wanted + margin) : text;
    for (const form of this.#forms) clean = clean.replaceAll(form, '[hidden]');
    return cut ? clean.slice(0, clean.length - margin) : clean;
  }
}
