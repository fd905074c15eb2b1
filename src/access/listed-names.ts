import { createHash } from 'node:crypto';

/** The longest name that every known client and model API accepts once a client has added its own prefix. */
export const MAX_LISTED = 54;
const HASH_LENGTH = 6;

/**
 * `mcp` lists `mcp__fs__read`, `short` lists `fs__read`, to which many clients add a prefix of their own, and `own` lists
 * `read`, for a session with one server alone.
 */
export type NameStyle = 'mcp' | 'short' | 'own';

export interface Nameable {
  readonly server: string;
  readonly name: string;
  /** False if it is listed under its own name, for use with a single server. */
  readonly prefix: boolean;
}

const NOT_PORTABLE = /[^A-Za-z0-9_-]/;

/** Replaces the characters that some client or model API does not accept. */
function portable(text: string): string {
  return NOT_PORTABLE.test(text) ? text.replace(/[^A-Za-z0-9_-]/g, '_') : text;
}

function plainListedName({ server, name, prefix }: Nameable, style: NameStyle): string {
  if (!prefix || style === 'own') return portable(name);
  return `${style === 'mcp' ? 'mcp__' : ''}${portable(server)}__${portable(name)}`;
}

/** True if the listed name shows the name exactly as the server spells it. */
function isExact({ server, name, prefix }: Nameable, style: NameStyle): boolean {
  return portable(name) === name && (!prefix || style === 'own' || portable(server) === server);
}

function withHash(item: Nameable, style: NameStyle): string {
  const hash = createHash('sha256').update(`${item.server}:${item.name}`).digest('hex').slice(0, HASH_LENGTH);
  return `${plainListedName(item, style).slice(0, MAX_LISTED - HASH_LENGTH - 1)}_${hash}`;
}

/** Returns the names if no item needs a hash: then each item has the same name in every part of the list. */
export function plainNames(items: readonly Nameable[], style: NameStyle): string[] | undefined {
  const names = items.map((item) => plainListedName(item, style));
  const isEachFree = new Set(names).size === names.length;
  return isEachFree && names.every(({ length }) => length > 0 && length <= MAX_LISTED) ? names : undefined;
}

/**
 * Gives each item the name under which it is listed: portable, unique, at most 54 characters. If several would share a
 * name, the one that is spelt exactly so keeps it, and the others get a hash of their server and name. So a name does not
 * depend on the order in which servers connect.
 */
export function listedNames(items: readonly Nameable[], style: NameStyle = 'mcp'): string[] {
  const plain = plainNames(items, style);
  if (plain) return plain;
  const groups = Map.groupBy(items, (item) => plainListedName(item, style));
  const taken = new Set<string>();
  const kept = new Map<Nameable, string>();
  for (const [name, group] of groups) {
    const exact = group.filter((item) => isExact(item, style));
    const owner = group.length === 1 ? group[0] : exact.length === 1 ? exact[0] : undefined;
    if (!owner || name.length > MAX_LISTED || name.length === 0) continue;
    kept.set(owner, name);
    taken.add(name);
  }
  return items.map((item) => {
    const name = kept.get(item);
    if (name !== undefined) return name;
    let candidate = withHash(item, style);
    // Two items may share server and name, or a hash may equal a real name: then a number is added.
    for (let n = 2; taken.has(candidate); n++) {
      candidate = `${withHash(item, style).slice(0, MAX_LISTED - 1 - String(n).length)}_${n}`;
    }
    taken.add(candidate);
    return candidate;
  });
}

/**
 * Folds case, separators and a leading `mcp`, for names that match no spelling exactly. Clients write a tool as
 * `mcp__fs__read`, `mcp:fs:read` or `fs.read`, so this folds more than `foldName` in code/, which keeps the colon,
 * and `looseName` in registry/, which knows no prefix.
 */
export function foldToolName(name: string): string {
  return name
    .replace(/^(mcp__|mcp:|mcp\.)/i, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
