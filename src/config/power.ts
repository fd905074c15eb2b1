import { createHash } from 'node:crypto';
import { IGNORED_KEYS } from './shape.ts';

type Json = Record<string, unknown>;

/**
 * The parts of a config file that neither run nor send anything. Every other part counts, those too that later versions add.
 */
const HARMLESS = ['$schema', 'expose', 'sandbox', 'names', 'lifecycle'];
const HARMLESS_OF_SERVER = Object.keys(IGNORED_KEYS);
const HARMLESS_OF_PML = ['timeoutMs', 'perSession', 'prefix'];

/** What a config file can do to whoever starts it: what it runs, what it sends where, and whom it lets change what. */
export interface Power {
  /** Changes with all of it, and with nothing else. Variables count by their names: no value of one goes into it. */
  fingerprint: string;
  /** The same in words, a line each; none if there is nothing to trust. */
  lines: string[];
}

/** The power of a file as it was parsed. `routing` is what mcp-permissions.yaml says of its servers. */
export function powerOf(raw: unknown, routing: ReadonlyMap<string, string>): Power {
  const { mcpServers, ...rest } = without(asJson(raw), HARMLESS);
  const servers = Object.entries(asJson(mcpServers))
    .map(([name, entry]) => [name, serverPower(entry)] as const)
    .filter(([, entry]) => entry.disabled !== true);
  const routed = servers.flatMap(([name]) => (routing.has(name) ? [[name, routing.get(name)] as const] : []));
  const parts = { ...rest, servers: Object.fromEntries(servers), routing: Object.fromEntries(routed) };
  const text = JSON.stringify(parts, (_, value) => sorted(value));
  return {
    fingerprint: createHash('sha256').update(text).digest('hex'),
    lines: [...servers.map(([name, entry]) => serverLine(name, entry)), ...otherLines(rest)],
  };
}

function serverPower(entry: unknown): Json {
  const { pml, ...own } = without(asJson(entry), HARMLESS_OF_SERVER);
  const settings = without(asJson(pml), HARMLESS_OF_PML);
  return Object.keys(settings).length > 0 ? { ...own, pml: settings } : own;
}

function without(value: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The order of keys means nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Longer ones are cut, and say so: nothing may hide behind a screenful of blanks. */
const LONGEST_LINE = 2000;

function serverLine(name: string, entry: Json): string {
  const { command, args, url } = entry;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
  const does = command === undefined ? `connects to ${String(url)}` : `runs ${words}`;
  const about = ['env', 'envFile', 'cwd', 'headers'].flatMap((key) =>
    entry[key] === undefined ? [] : `${key} ${shownValue(entry[key])}`,
  );
  const given = variablesOf(entry);
  const gets = given.length > 0 ? [`is given ${given.join(', ')} of your environment`] : [];
  return plain(`${name}: ${[does, ...about, ...gets].join('; ')}`);
}

/** Names alone: what is written into a file in plain text may be a secret. */
function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : Object.keys(asJson(value)).join(', ');
}

/** `$${` stands for a plain `${`. */
const VARIABLE = /\$\$\{|\$\{([A-Za-z_]\w*)/g;

function variablesOf(entry: Json): string[] {
  const found = [...JSON.stringify(entry).matchAll(VARIABLE)].flatMap(([, name]) => name ?? []);
  return [...new Set(found)];
}

function otherLines({ scope, curation: _, ...rest }: Json): string[] {
  const { admins } = asJson(scope);
  const isOpen = Array.isArray(admins) && admins.length > 0;
  const others = Object.entries(rest).filter(([, value]) => Object.keys(Object(value)).length > 0);
  return [
    ...(isOpen ? [plain(`lets ${admins.join(', ')} change what others made`)] : []),
    ...others.map(([key, value]) => plain(`${key}: ${shownValue(value)}`)),
  ];
}

/** Text of a stranger's file must not move the cursor, hide or turn around what stands beside it. */
function plain(text: string): string {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.codePointAt(0) as number;
    return `\\u{${code.toString(16)}}`;
  });
  const more = visible.length - LONGEST_LINE;
  return more > 0 ? `${visible.slice(0, LONGEST_LINE)}… and ${more} characters more` : visible;
}
