import { canBeOneOfSeveral, namesSecret, namesSeveral } from './keys.ts';

/** Stands where a secret stood. */
export const HIDDEN = '[hidden]';

/** A run may be handed megabytes, and is looked at while somebody waits. */
const MOST_LOOKED_AT = 5000;

/** The texts that stand under keys like `token`, `password`, `authorization`, and after flags like `--password`. */
export function secretsIn(data: unknown): string[] {
  const found = new Set<string>();
  const pending: unknown[] = [data];
  for (let at = 0; at < pending.length && at < MOST_LOOKED_AT; at += 1) {
    const value = pending[at];
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, one] of entriesOf(value)) {
      if (key === true) for (const text of textsIn(one)) found.add(text);
      else if (typeof key === 'string' && namesSeveral(key)) mapTexts(one, (text) => note(text, found));
      else if (typeof one === 'object' && one !== null) pending.push(one);
    }
  }
  return [...found];
}

function note(text: string, found: Set<string>): string {
  if (text !== HIDDEN && canBeOneOfSeveral(text)) found.add(text);
  return text;
}

/** What an object or a list holds, each under its key; under `true`, what is secret whatever it is. */
function entriesOf(value: object): [key: string | boolean, one: unknown][] {
  if (Array.isArray(value)) return value.map((one, at) => [isAfterSecretFlag(value, at), one]);
  return Object.entries(value).map(([key, one]) => [namesSecret(key) || key, one]);
}

/** `["--password", "x"]`, `["-u", "user:x"]`: the arguments of a command. */
export function isAfterSecretFlag(list: readonly unknown[], at: number): boolean {
  const flag = list[at - 1];
  if (typeof flag !== 'string' || !flag.startsWith('-') || typeof list[at] !== 'string') return false;
  if (flag.startsWith('--') && !flag.includes('=') && namesSecret(flag)) return true;
  return (flag === '-u' || flag === '--user') && /^[^:\s]+:\D/.test(list[at]);
}

/** Flags and nothings tell nothing. */
export function hideAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideAll);
  if (typeof value === 'boolean' || value === null || value === undefined) return value;
  if (typeof value !== 'object') return HIDDEN;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideAll(one)]));
}

/** Of several values those that can be secret: neither the number of tokens nor the name of a coin. */
export function hideSome(value: unknown): unknown {
  return mapTexts(value, (text) => (canBeOneOfSeveral(text) ? HIDDEN : text));
}

/** The same data with other texts. Keys stay as they are. */
export function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === 'string') return change(data);
  if (Array.isArray(data)) return data.map((one) => mapTexts(one, change));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, one]) => [key, mapTexts(one, change)]));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === HIDDEN ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
