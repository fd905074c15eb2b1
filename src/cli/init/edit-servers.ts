import { isDeepStrictEqual } from 'node:util';
import { type Layout, parseJsonc } from '../../config/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { applyInserts, insertsFor } from './compose-config.ts';

/** The key under which a file holds its servers: VS Code says "servers", Zed "context_servers", all others "mcpServers". */
export type ServersKey = 'mcpServers' | 'servers' | 'context_servers';

/** Adds a server to the text of a file, which keeps its comments and order. Undefined if the text cannot be edited so. */
export function addServer(text: string, key: ServersKey, name: string, entry: object): string | undefined {
  const parsed = parse(text.trim() === '' ? '{}\n' : text);
  if (!parsed) return undefined;
  const { file, layouts } = parsed;
  const servers = file[key] ?? {};
  if (!isJsonObject(servers) || Object.hasOwn(servers, name)) return undefined;
  const [inner, root] = [layouts.get(servers), layouts.get(file)];
  const inserts = inner
    ? insertsFor(parsed.text, inner, { [name]: entry }, 2)
    : root && insertsFor(parsed.text, root, { [key]: { [name]: entry } }, 1);
  const wanted = { ...file, [key]: { ...servers, [name]: entry } };
  return inserts && checked(applyInserts(parsed.text, inserts), wanted);
}

/** Removes a server from the text of a file, which keeps everything else. Undefined if it is not there. */
export function removeServer(text: string, key: ServersKey, name: string): string | undefined {
  const parsed = parse(text);
  const servers = parsed?.file[key];
  if (!parsed || !isJsonObject(servers)) return undefined;
  const span = parsed.layouts.get(servers)?.spans.get(name);
  if (!span) return undefined;
  const { [name]: _, ...others } = servers;
  return checked(withoutSpan(text, span), { ...parsed.file, [key]: others });
}

function parse(text: string) {
  const layouts = new Map<object, Layout>();
  const parsed = parseJsonc(text, layouts);
  return 'value' in parsed && isJsonObject(parsed.value)
    ? { text, file: parsed.value as JsonObject, layouts }
    : undefined;
}

/** Returns the text if it means what is wanted. */
function checked(text: string, wanted: object): string | undefined {
  const parsed = parseJsonc(text);
  return 'value' in parsed && isDeepStrictEqual(parsed.value, wanted) ? text : undefined;
}

/** Cuts an item with one of the commas beside it, and with its lines if nothing else stands on them. */
function withoutSpan(text: string, { start, end }: { start: number; end: number }): string {
  let [from, to] = [start, end];
  const [comma] = /^\s*,/.exec(text.slice(to)) ?? [];
  if (comma !== undefined) to += comma.length;
  else {
    const before = text.slice(0, from).trimEnd();
    if (before.endsWith(',')) from = before.length - 1;
    return text.slice(0, from) + text.slice(to);
  }
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = text.indexOf('\n', to);
  const isAlone = text.slice(lineStart, from).trim() === '' && text.slice(to, lineEnd).trim() === '';
  return lineEnd >= 0 && isAlone
    ? text.slice(0, lineStart) + text.slice(lineEnd + 1)
    : text.slice(0, from) + text.slice(to);
}
