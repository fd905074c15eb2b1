import type { Terminal } from './terminal.ts';
import type { ToolAnswer } from './tool-command.ts';

/** Formats a record as one field a line, its code last. */
export function recordFields({ code, parameters_schema, ...fields }: ToolAnswer, terminal: Terminal): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== null && !isEmpty(value));
  const lines = shown.map(([key, value]) => `${terminal.style('bold', key.padEnd(18))} ${fieldText(value)}`);
  const schema = `${terminal.style('bold', 'parameters_schema '.padEnd(18))} ${JSON.stringify(parameters_schema)}`;
  return [...lines, schema, ...(code === undefined ? [] : ['', code])].join('\n');
}

/** Says in one line what happened to a record, with the warnings that came along. */
export function recordChanged({ display_name, version, warnings = [] }: ToolAnswer, verb: string): string {
  return [`${display_name}@${version} ${verb}`, ...warnings].join('\n');
}

export function percent(rate: number): string {
  return `${Math.round(rate * 100)}%`;
}

/** The share of calls that succeeded; there is none where nothing was called. */
export function successText(rate: number | null): string {
  return rate === null ? '–' : percent(rate);
}

/** Returns the first line, cut to a length. */
export function firstLine(text: string, length = 60): string {
  const [line = ''] = text.split('\n');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

export function indent(line: string): string {
  return `  ${line}`;
}

/** `1 tool`, `2 tools`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.map(fieldText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
