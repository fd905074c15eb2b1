import { createHash } from 'node:crypto';

/** The longest name every known client and model API takes, once a client has put its own prefix before it. */
export const MAX_LISTED = 54;
const HASH_LENGTH = 6;

export interface Nameable {
  readonly server: string;
  readonly name: string;
  /** False: listed under its own name, for one-server use. */
  readonly prefix: boolean;
}

/** The name with only characters that every client and model API accepts. */
function portable(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_');
}

function bare({ server, name, prefix }: Nameable): string {
  return prefix ? `mcp__${portable(server)}__${portable(name)}` : portable(name);
}

function isFaithful({ server, name, prefix }: Nameable): boolean {
  return portable(name) === name && (!prefix || portable(server) === server);
}

function withHash(item: Nameable): string {
  const hash = createHash('sha256').update(`${item.server}:${item.name}`).digest('hex').slice(0, HASH_LENGTH);
  return `${bare(item).slice(0, MAX_LISTED - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * Gives each item the name it is listed under: portable, at most 54 characters, unique. Of those that would share a name
 * the one that is spelt exactly so keeps it; the others carry a hash of what they are, so a name does not depend on the
 * order in which servers connect.
 */
export function listedNames(items: readonly Nameable[]): string[] {
  const groups = Map.groupBy(items, bare);
  const taken = new Set<string>();
  const kept = new Map<Nameable, string>();
  for (const [name, group] of groups) {
    const faithful = group.filter(isFaithful);
    const owner = group.length === 1 ? group[0] : faithful.length === 1 ? faithful[0] : undefined;
    if (!owner || name.length > MAX_LISTED || name.length === 0) continue;
    kept.set(owner, name);
    taken.add(name);
  }
  return items.map((item) => {
    const name = kept.get(item);
    if (name !== undefined) return name;
    let candidate = withHash(item);
    // Two items of the same server and name, or a hash that meets a real name: count on.
    for (let n = 2; taken.has(candidate); n++) {
      candidate = `${withHash(item).slice(0, MAX_LISTED - 1 - String(n).length)}_${n}`;
    }
    taken.add(candidate);
    return candidate;
  });
}

/** How names are compared when no spelling matches exactly: without case, separators and the `mcp` in front. */
export function foldToolName(name: string): string {
  return name
    .replace(/^(mcp__|mcp:|mcp\.)/i, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
