import { canBeOneOfSeveral, namesSecret, namesSeveral } from './secret-keys.ts';

/** Stands where a secret stood. */
export const HIDDEN = '[hidden]';

/** A run may be handed megabytes, and is looked at while somebody waits. */
const MOST_LOOKED_AT = 5000;
/** Nobody nests data deeper but to exhaust the stack. */
export const MAX_DEPTH = 200;

/** The texts that stand under keys like `token`, `password`, `authorization`, and after flags like `--password`. */
export function secretsIn(data: unknown): string[] {
  const found = new Set<string>();
  const pending: { value: unknown; is: Secrecy }[] = [{ value: data, is: 'open' }];
  for (let at = 0; at < pending.length; at += 1) {
    const { value, is } = pending[at] as { value: unknown; is: Secrecy };
    const text = is === 'open' ? undefined : textOf(value);
    if (text !== undefined && text !== HIDDEN && (is === 'secret' || canBeOneOfSeveral(text)))
      found.add(text);
    if (typeof value !== 'object' || value === null) continue;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      if (pending.length >= MOST_LOOKED_AT) break;
      const one = (value as Record<string | number, unknown>)[key];
      const inner = is === 'open' ? secrecyOf(value, key) : is;
      if (inner !== 'open' || (typeof one === 'object' && one !== null))
        pending.push({ value: one, is: inner });
    }
  }
  return [...found];
}

/** What a key says of its value: that it is secret, that it may be, or nothing. */
type Secrecy = 'secret' | 'perhaps' | 'open';

function secrecyOf(holder: object, key: string | number): Secrecy {
  if (typeof key === 'number') return isAfterSecretFlag(holder as unknown[], key) ? 'secret' : 'open';
  if (namesSecret(key)) return 'secret';
  return namesSeveral(key) ? 'perhaps' : 'open';
}

/** `["--password", "x"]`, `["-u", "user:x"]`: the arguments of a command. */
export function isAfterSecretFlag(list: readonly unknown[], at: number): boolean {
  const [flag, value] = [list[at - 1], list[at]];
  if (typeof flag !== 'string' || !flag.startsWith('-') || typeof value !== 'string') return false;
  if (flag.startsWith('--') && !flag.includes('=') && namesSecret(flag)) return true;
  return (flag === '-u' || flag === '--user') && /^[^:\s]+:\D/.test(value);
}

/** Flags and nothings tell nothing. */
export function hideAll(value: unknown, depth = 0): unknown {
  if (typeof value === 'boolean' || value === null || value === undefined) return value;
  if (typeof value !== 'object' || depth > MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value)) return value.map((one) => hideAll(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideAll(one, depth + 1)]));
}

/** Of several values those that can be secret: neither the number of tokens nor the name of a coin. */
export function hideSome(value: unknown): unknown {
  return mapTexts(value, (text) => (canBeOneOfSeveral(text) ? HIDDEN : text));
}

/** The same data with other texts; each is told the key it stands under. Keys stay as they are. */
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
