import { closest } from '../edit-distance.ts';
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

/** Parses the number of an option such as `--limit`. */
export function wholeNumber(
  value: unknown,
  option: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  const range =
    most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : least > 0 ? ` of at least ${least}` : '';
  throw new PmlError('bad_request', `${option} must be a whole number${range}, not "${value}".`);
}

/** Checks an option that takes one of a few words. */
export function oneOf<Choice extends string>(
  value: unknown,
  option: string,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const near = closest(String(value), choices);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  const last = choices.at(-1);
  throw new PmlError(
    'bad_request',
    `${option} must be ${choices.slice(0, -1).join(', ')} or ${last}, not "${value}".${meant}`,
  );
}

export const VISIBILITIES = ['private', 'project', 'org', 'public'] as const;
export const CACHE_POLICIES = ['memoize', 'persistent', 'none'] as const;

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
