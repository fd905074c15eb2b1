import { isSecretKey, isSecretNumber, namesPossibleSecrets, namesSecret } from './secret-keys.ts';

/** Replaces a secret. */
export const HIDDEN = '[hidden]';

/** A run may get megabytes of data, and somebody waits while it is searched. */
const MAX_SEARCHED = 5000;
/** Deeper data is only meant to exhaust the stack. */
export const MAX_DEPTH = 200;

/** Finds the texts under keys like `token`, `password`, `authorization`, and after flags like `--password`. */
export function secretsIn(data: unknown): string[] {
  const found = new Set<string>();
  const pending: Pending[] = [{ value: data, is: 'open', key: '' }];
  for (let at = 0; at < pending.length; at += 1) {
    const { value, is, key: above } = pending[at] as Pending;
    const text = is === 'open' ? undefined : textOf(value);
    if (text !== undefined && text !== HIDDEN && (is === 'secret' || isPossibleSecret(above, value)))
      found.add(text);
    if (typeof value !== 'object' || value === null) continue;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      if (pending.length >= MAX_SEARCHED) break;
      const one = (value as Record<string | number, unknown>)[key];
      const isOpen = is === 'open' || (is === 'perhaps' && typeof key === 'string' && !reachesInside(above));
      const inner = isOpen ? secrecyOf(value, key) : is;
      if (inner !== 'open' || (typeof one === 'object' && one !== null))
        pending.push({ value: one, is: inner, key: typeof key === 'string' && isOpen ? key : above });
    }
  }
  return [...found];
}

interface Pending {
  readonly value: unknown;
  readonly is: Secrecy;
  /** The key that made it secret. */
  readonly key: string;
}

/** The verdict of a key on its value: it is secret, it may be, or nothing is known. */
type Secrecy = 'secret' | 'perhaps' | 'open';

function secrecyOf(container: object, key: string | number): Secrecy {
  if (typeof key === 'number') return isAfterSecretFlag(container as unknown[], key) ? 'secret' : 'open';
  if (namesSecret(key)) return 'secret';
  return namesPossibleSecrets(key) ? 'perhaps' : 'open';
}

/** True for `x` in the arguments of a command: `["--password", "x"]`, `["-u", "user:x"]`. */
export function isAfterSecretFlag(list: readonly unknown[], at: number): boolean {
  const [flag, value] = [list[at - 1], list[at]];
  if (typeof flag !== 'string' || !flag.startsWith('-') || typeof value !== 'string') return false;
  if (flag.startsWith('--') && !flag.includes('=') && namesSecret(flag)) return true;
  return (flag === '-u' || flag === '--user') && /^[^:\s]+:\D/.test(value);
}

/** Hides every value except booleans and null, which reveal nothing. */
export function hideAll(value: unknown, depth = 0): unknown {
  if (typeof value === 'boolean' || value === null || value === undefined) return value;
  if (typeof value !== 'object' || depth > MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value)) return value.map((one) => hideAll(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideAll(one, depth + 1)]));
}

/** Hides only the values that their key makes secret: neither a number of tokens nor the name of a coin. */
export function hidePossibleSecrets(value: unknown, key: string, depth = 0): unknown {
  if (isPossibleSecret(key, value)) return HIDDEN;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value)) return value.map((one) => hidePossibleSecrets(one, key, depth + 1));
  if (!reachesInside(key)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hidePossibleSecrets(one, key, depth + 1)]),
  );
}

/** True for a plural, which tells about all that is inside of its object. */
function reachesInside(key: string): boolean {
  return /s$/i.test(key);
}

function isPossibleSecret(key: string, value: unknown): boolean {
  if (typeof value === 'number') return isSecretNumber(key, value);
  return typeof value === 'string' && isSecretKey(key, value);
}

/** Copies data and maps its texts; `change` gets the key of each. Keys stay as they are. */
export function mapTexts(
  data: unknown,
  change: (text: string, key: string | undefined) => string,
  key?: string,
  depth = 0,
): unknown {
  if (typeof data === 'string') return change(data, key);
  if (typeof data !== 'object' || data === null) return data;
  if (depth > MAX_DEPTH) return HIDDEN;
  if (Array.isArray(data)) return data.map((one) => mapTexts(one, change, key, depth + 1));
  return Object.fromEntries(
    Object.entries(data).map(([name, one]) => [name, mapTexts(one, change, name, depth + 1)]),
  );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}
