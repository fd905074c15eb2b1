import { isDeepStrictEqual } from 'node:util';
import { type Layout, parseJsonc } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import type { Entry } from './convert-entry.ts';

type Servers = Readonly<Record<string, Entry>>;
type Config = Record<string, unknown> & { mcpServers?: Record<string, unknown> };

/** Parses an existing config. Throws if it is none, because PML can keep only what it can read. */
export function readExisting(text: string, label: string): Config {
  return parse(text, label).config;
}

/** Returns the text of a pml.json with these servers, and settings if it is new. An existing file keeps all it has, comments and order too. */
export function composeConfig(
  servers: Servers,
  schema: string,
  existing?: { text: string; label: string },
  settings: object = {},
): string {
  if (existing === undefined)
    return `${JSON.stringify({ $schema: schema, mcpServers: servers, ...settings }, null, 2)}\n`;
  const { config, layouts } = parse(existing.text, existing.label);
  const known = config.mcpServers ?? {};
  const added = Object.fromEntries(Object.entries(servers).filter(([name]) => !Object.hasOwn(known, name)));
  const wanted = { ...config, $schema: config.$schema ?? schema, mcpServers: { ...known, ...added } };
  const text = insertServers(existing.text, config, layouts, added, schema);
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
  schema: string,
): string {
  const root = layouts.get(config);
  const inner = config.mcpServers && layouts.get(config.mcpServers);
  if (!root) return text;
  if (root.last === undefined)
    return applyInserts(text, insertsFor(text, root, { $schema: schema, mcpServers: servers }, 1));
  const inserts = inner
    ? insertsFor(text, inner, servers, 2)
    : insertsFor(text, root, { mcpServers: servers }, 1);
  if (config.$schema === undefined)
    inserts.push({ at: root.open, text: `\n  "$schema": ${JSON.stringify(schema)},` });
  return applyInserts(text, inserts);
}

function applyInserts(text: string, inserts: Insert[]): string {
  // From the end, so that the earlier offsets stay valid.
  const backwards = inserts.toSorted((a, b) => b.at - a.at);
  return backwards.reduce((whole, { at, text: piece }) => whole.slice(0, at) + piece + whole.slice(at), text);
}

/** Makes the inserts that append items to an object, each on a line of its own. */
function insertsFor(text: string, layout: Layout, items: object, depth: number): Insert[] {
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
