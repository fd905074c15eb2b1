import type { Terminal } from '../terminal.ts';
import type { Answer } from './tool-command.ts';

/** Columns as wide as their widest cell. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
): string {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [terminal.style('bold', line(head)), ...rows.map(line)].join('\n');
}

/** A record, one fact a line; its code last. */
export function record({ code, parameters_schema, ...facts }: Answer, terminal: Terminal): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== null && !isEmpty(value));
  const lines = shown.map(([key, value]) => `${terminal.style('bold', key.padEnd(18))} ${plain(value)}`);
  const schema = `${terminal.style('bold', 'parameters_schema '.padEnd(18))} ${JSON.stringify(parameters_schema)}`;
  return [...lines, schema, ...(code === undefined ? [] : ['', code])].join('\n');
}

export function percent(rate: number): string {
  return `${Math.round(rate * 100)}%`;
}

/** The first line, cut to fit. */
export function short(text: string, length = 60): string {
  const [line = ''] = text.split('\n');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function plain(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
