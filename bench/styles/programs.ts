import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Json } from '../../src/json.ts';

/** The values that differ from run to run. */
export type Values = Readonly<Record<string, Json>>;

/** One way to write a procedure. */
export interface Style {
  readonly procedure: string;
  readonly name: string;
  /** Its text, in which `«key»` stands for a literal and `«key!»` for a value within one. */
  readonly text: string;
  readonly data: readonly Values[];
}

export interface Procedure {
  readonly name: string;
  readonly data: Values[];
  readonly styles: Style[];
}

/** Finds the folder beside the repository, or where `PML_DATA` says. */
export function sharedFolder(): string {
  return join(process.env.PML_DATA ?? resolve(import.meta.dirname, '../../../shared/data'), 'styles');
}

export function readShared(): Procedure[] {
  const file = join(sharedFolder(), 'programs-a.txt');
  return existsSync(file) ? readProcedures(file) : [];
}

export function readOwn(name: 'procedures' | 'aimed'): Procedure[] {
  return readProcedures(join(import.meta.dirname, `${name}.txt`));
}

/** `=== procedure`, then its `data {…}`, then each `--- style` with its text. */
function readProcedures(file: string): Procedure[] {
  const [, ...parts] = readFileSync(file, 'utf8').split(/^=== /m);
  return parts.map((part) => {
    const [head = '', ...written] = part.split(/^--- /m);
    const [name = '', ...lines] = head.trim().split('\n');
    const data = lines.map((line) => JSON.parse(line.replace(/^data /, '')) as Values);
    const styles = written.map((style) => {
      const [title = ''] = style.split('\n', 1);
      return { procedure: name, name: title.trim(), text: style.slice(title.length).trim(), data };
    });
    return { name, data, styles };
  });
}

/** The program with the values written in. */
export function programOf({ procedure, name, text }: Style, values: Values): string {
  return text.replace(/«(\w+)(!?)»/g, (_, key: string, raw: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`${procedure}, ${name}: there is no ${key}`);
    return raw ? String(value) : JSON.stringify(value);
  });
}

export function titleOf({ procedure, name }: Style): string {
  return `${procedure} / ${name}`;
}
