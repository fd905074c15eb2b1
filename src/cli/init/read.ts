import { readFileSync } from 'node:fs';
import { isServerName, parseJsonc } from '../../config/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { convert, type Entry } from './convert.ts';
import type { ClientFile, Place } from './paths.ts';
import type { Inputs } from './placeholders.ts';

export interface FoundServer {
  name: string;
  entry: Entry;
  from: ClientFile;
  /** What had to change, and what the user should do about it. */
  notes: string[];
}

export interface ClientServers {
  from: ClientFile;
  servers: FoundServer[];
  skipped: { name: string; why: string }[];
  /** Why the file could not be read at all. */
  problem?: string;
}

/** The servers of one client's file; undefined when there is no such file. A file that cannot be used is told of. */
export function readClientServers(from: ClientFile, place: Place): ClientServers | undefined {
  const found: ClientServers = { from, servers: [], skipped: [] };
  let text: string;
  try {
    text = readFileSync(from.file, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { ...found, problem: `cannot be read (${code})` };
  }
  // Editors make an empty file when their user first looks at the setting.
  if (text.trim() === '') return found;
  const parsed = parseJsonc(text);
  if (!('value' in parsed))
    return { ...found, problem: `line ${parsed.line}, column ${parsed.column}: ${parsed.problem}` };
  if (!isJsonObject(parsed.value)) return { ...found, problem: 'is not an object' };
  const inputs = inputsOf(parsed.value);
  for (const [name, raw] of groupsOf(parsed.value, place).flatMap((group) => Object.entries(group))) {
    const converted = convert(raw, place, inputs);
    if ('skipped' in converted) found.skipped.push({ name, why: converted.skipped });
    else found.servers.push(named(name, { ...converted, from }));
  }
  return found;
}

/** Each place in a file where clients keep servers: what is for this project comes first. */
function groupsOf(file: JsonObject, place: Place): JsonObject[] {
  const projects = isJsonObject(file.projects) ? Object.entries(file.projects) : [];
  const here = projects.filter(([folder]) => contains(folder, place));
  // The innermost project wins over those around it.
  const nested = here.sort(([a], [b]) => b.length - a.length).map(([, project]) => project);
  const settings = isJsonObject(file.mcp) ? [file.mcp] : [];
  const parts = [...nested.filter(isJsonObject), file, ...settings];
  return parts.flatMap((part) => [part.mcpServers, part.servers]).filter(isJsonObject);
}

/** Whether the working directory is a folder or inside it. */
function contains(folder: string, { cwd, platform }: Place): boolean {
  const plain = (name: string) => {
    const [slashed] = /^(?:.*[^/])?/s.exec(name.replaceAll('\\', '/')) ?? [''];
    return platform === 'linux' ? slashed : slashed.toLowerCase();
  };
  return `${plain(cwd)}/`.startsWith(`${plain(folder)}/`);
}

/** What VS Code would ask the user for. */
function inputsOf(file: JsonObject): Inputs {
  const inputs = Array.isArray(file.inputs) ? file.inputs.filter(isJsonObject) : [];
  return new Map(
    inputs.map(({ id, description }) => [
      String(id),
      typeof description === 'string' ? description : undefined,
    ]),
  );
}

/** Clients allow names that PML does not, such as "My Server". */
function named(name: string, server: Omit<FoundServer, 'name'>): FoundServer {
  if (isServerName(name)) return { ...server, name };
  const [plain] = /[^-](?:.*[^-])?/.exec(name.replace(/[^A-Za-z0-9_.-]+/g, '-')) ?? [''];
  const better = plain.slice(0, 64) || 'server';
  return { ...server, name: better, notes: [`is called ${JSON.stringify(name)} there`, ...server.notes] };
}
