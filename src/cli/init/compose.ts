import { isDeepStrictEqual } from 'node:util';
import { type Layout, parseJsonc } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import type { Entry } from './convert.ts';

type Servers = Readonly<Record<string, Entry>>;
type Config = Record<string, unknown> & { mcpServers?: Record<string, unknown> };

/** The config that a text holds; a text that holds none is an error, since what cannot be read cannot be kept. */
export function readExisting(text: string, label: string): Config {
  const { config } = parsed(text, label);
  return config;
}

/** The text of a pml.json with these servers; an existing one keeps all it has, comments and order too. */
export function composeConfig(
  servers: Servers,
  schema: string,
  existing?: { text: string; label: string },
): string {
  if (existing === undefined) return `${JSON.stringify({ $schema: schema, mcpServers: servers }, null, 2)}\n`;
  const { config, layouts } = parsed(existing.text, existing.label);
  const there = config.mcpServers ?? {};
  const added = Object.fromEntries(Object.entries(servers).filter(([name]) => !Object.hasOwn(there, name)));
  const wanted = { ...config, $schema: config.$schema ?? schema, mcpServers: { ...there, ...added } };
  const text = edited(existing.text, config, layouts, added, schema);
  const result = parseJsonc(text);
  // Should an edit ever go wrong, comments are lost rather than settings.
  return 'value' in result && isDeepStrictEqual(result.value, wanted)
    ? text
    : `${JSON.stringify(wanted, null, 2)}\n`;
}

function parsed(text: string, label: string): { config: Config; layouts: Map<object, Layout> } {
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

function edited(
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
    return applied(text, appended(text, root, { $schema: schema, mcpServers: servers }, 1));
  const inserts = inner
    ? appended(text, inner, servers, 2)
    : appended(text, root, { mcpServers: servers }, 1);
  if (config.$schema === undefined)
    inserts.push({ at: root.open, text: `\n  "$schema": ${JSON.stringify(schema)},` });
  return applied(text, inserts);
}

function applied(text: string, inserts: Insert[]): string {
  // From the end, so that the places further up stay true.
  const backwards = inserts.toSorted((a, b) => b.at - a.at);
  return backwards.reduce((whole, { at, text: piece }) => whole.slice(0, at) + piece + whole.slice(at), text);
}

/** What to insert to append items to an object, on lines of their own. */
function appended(text: string, layout: Layout, items: object, depth: number): Insert[] {
  const entries = Object.entries(items);
  if (entries.length === 0) return [];
  const indent = '  '.repeat(depth);
  const lines = entries.map(([key, value]) => {
    return `${indent}${JSON.stringify(key)}: ${JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)}`;
  });
  // Before the blank that leads to the closing bracket, and so after any comment.
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
