import { isDeepStrictEqual } from 'node:util';
import { type Layout, parseJsonc } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import type { Entry } from './convert-entry.ts';

type Servers = Readonly<Record<string, Entry>>;
type Config = Record<string, unknown> & { mcpServers?: Record<string, unknown>; envFile?: unknown };

/** Parses an existing config. Throws if it is invalid, because PML can only preserve what it can read. */
export function readExisting(text: string, label: string): Config {
  return parse(text, label).config;
}

/**
 * Returns the text of a pml.json with these servers, and with those settings that it lacks. An existing file keeps
 * everything, its comments and order too.
 */
export function composeConfig(
  servers: Servers,
  schema: string,
  existing?: { text: string; label: string },
  settings: Readonly<Record<string, unknown>> = {},
): string {
  if (existing === undefined)
    return `${JSON.stringify({ $schema: schema, mcpServers: servers, ...settings }, null, 2)}\n`;
  const { config, layouts } = parse(existing.text, existing.label);
  const known = config.mcpServers ?? {};
  const added = Object.fromEntries(Object.entries(servers).filter(([name]) => !Object.hasOwn(known, name)));
  const first = { $schema: schema, ...settings };
  const missing = Object.fromEntries(Object.entries(first).filter(([key]) => config[key] === undefined));
  const wanted = { ...config, ...missing, mcpServers: { ...known, ...added } };
  const text = insertServers(existing.text, config, layouts, added, missing);
  const result = parseJsonc(text);
  // If the edited text does not parse to the wanted config, rather lose comments than settings.
  return 'value' in result && isDeepStrictEqual(result.value, wanted)
    ? text
    : `${JSON.stringify(wanted, null, 2)}\n`;
}

function parse(text: string, label: string): { config: Config; layouts: Map<object, Layout> } {
  const layouts = new Map<object, Layout>();
  const result = parseJsonc(text, layouts);
  if (!('value' in result)) {
    throw new PmlError('config_invalid', `${label}:${result.line}:${result.column}: ${result.problem}`);
  }
  if (!isJsonObject(result.value)) throw new PmlError('config_invalid', `${label}: expected object`);
  const config = result.value as Config;
  if (config.mcpServers !== undefined && !isJsonObject(config.mcpServers)) {
    throw new PmlError('config_invalid', `${label}: mcpServers: expected object`);
  }
  return { config, layouts };
}

interface Insert {
  at: number;
  text: string;
}

function insertServers(
  text: string,
  config: Config,
  layouts: Map<object, Layout>,
  servers: Servers,
  missing: Readonly<Record<string, unknown>>,
): string {
  const root = layouts.get(config);
  const inner = config.mcpServers && layouts.get(config.mcpServers);
  if (!root) return text;
  if (root.last === undefined)
    return applyInserts(text, insertsFor(text, root, { ...missing, mcpServers: servers }, 1));
  const inserts = inner
    ? insertsFor(text, inner, servers, 2)
    : insertsFor(text, root, { mcpServers: servers }, 1);
  const lines = Object.entries(missing).map(([key, value]) => `\n  "${key}": ${JSON.stringify(value)},`);
  if (lines.length > 0) inserts.push({ at: root.open, text: lines.join('') });
  return applyInserts(text, inserts);
}

export function applyInserts(text: string, inserts: Insert[]): string {
  // From the end, so that the earlier offsets stay valid.
  const backwards = inserts.toSorted((a, b) => b.at - a.at);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  return backwards.reduce(
    (whole, { at, text: piece }) => whole.slice(0, at) + piece.replaceAll('\n', lineEnd) + whole.slice(at),
    text,
  );
}

/** Makes the inserts that append items to an object, each on a line of its own. */
export function insertsFor(text: string, layout: Layout, items: object, depth: number): Insert[] {
  const entries = Object.entries(items);
  if (entries.length === 0) return [];
  const indent = '  '.repeat(depth);
  const lines = entries.map(([key, value]) => {
    return `${indent}${JSON.stringify(key)}: ${JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)}`;
  });
  // Before the blanks that precede the closing bracket, and so after any comment.
  const before = text.slice(layout.open, layout.close);
  const end = layout.open + before.trimEnd().length;
  const block = `\n${lines.join(',\n')}${end === layout.close ? `\n${'  '.repeat(depth - 1)}` : ''}`;
  const needsComma = layout.last !== undefined && !layout.comma;
  if (!needsComma) return [{ at: end, text: block }];
  if (layout.last === end) return [{ at: end, text: `,${block}` }];
  return [
    { at: layout.last ?? end, text: ',' },
    { at: end, text: block },
  ];
}
