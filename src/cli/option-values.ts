import { PmlError } from '../errors.ts';
import type { Invocation } from './command.ts';

/** Returns the value of a string option, if it was given. */
export function stringOption({ values }: Invocation, option: string): string | undefined {
  const value = values[option];
  return typeof value === 'string' ? value : undefined;
}

/** Splits `a,b` into its items. An empty string is an empty list. */
export function commaSeparated(value: unknown): string[] | undefined {
  if (typeof value !== 'string') return undefined;
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function wholeNumber(value: unknown, option: string): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(String(value))) return Number(value);
  throw new PmlError('bad_request', `${option} must be a number.`);
}

/** Parses `--args JSON` into `{ args }`; empty if the option was not given. */
export function argsOption({ values }: Invocation): { args?: Record<string, unknown> } {
  if (typeof values.args !== 'string') return {};
  try {
    const args = JSON.parse(values.args);
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { args };
  } catch {
    // Reported below, as any other value that is no object.
  }
  throw new PmlError('bad_request', '--args must be a JSON object, as in --args \'{"path": "a.json"}\'');
}
