import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isServerName, parseJsonc } from '../../config/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { ClientFile, HostInfo } from './client-files.ts';
import { convertEntry, type Entry } from './convert-entry.ts';
import { disabledByClaudeSettings, disabledNames } from './disabled-servers.ts';
import type { Inputs } from './placeholders.ts';

export interface FoundServer {
  name: string;
  entry: Entry;
  from: ClientFile;
  /** Changes to the entry, and what the user should do about them. */
  notes: string[];
  /** The client has switched it off. */
  isDisabled: boolean;
}

export interface ClientServers {
  from: ClientFile;
  servers: FoundServer[];
  skipped: { name: string; why: string }[];
  /** Why the file could not be read at all. */
  problem?: string;
}

/** Reads the servers of one client's file; undefined if there is no such file. An unusable file has a `problem`. */
export function readClientServers(from: ClientFile, host: HostInfo): ClientServers | undefined {
  const found: ClientServers = { from, servers: [], skipped: [] };
  let text: string;
  try {
    text = readFileSync(from.file, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { ...found, problem: `cannot be read (${code})` };
  }
  // Editors create an empty file when a user first opens the setting.
  if (text.trim() === '') return found;
  const parsed = parseJsonc(text);
  if (!('value' in parsed))
    return { ...found, problem: `line ${parsed.line}, column ${parsed.column}: ${parsed.problem}` };
  if (!isJsonObject(parsed.value)) return { ...found, problem: 'is not an object' };
  const inputs = inputsOf(parsed.value);
  const parts = partsOf(parsed.value, host);
  const bySettings = path.basename(from.file) === '.mcp.json' ? disabledByClaudeSettings(host) : [];
  const disabled = new Set([...parts.flatMap(disabledNames), ...bySettings]);
  for (const [name, raw] of parts.flatMap(serverMapsOf).flatMap((group) => Object.entries(group))) {
    const converted = convertEntry(raw, host, inputs);
    if ('skipped' in converted) {
      found.skipped.push({ name, why: converted.skipped });
      continue;
    }
    const { disabled: isOff = false, ...entry } = converted.entry;
    const isDisabled = isOff || disabled.has(name);
    found.servers.push(withValidName(name, { entry, notes: converted.notes, isDisabled, from }));
  }
  return found;
}

/** Tells if a client's file has a server of this name for this folder; with `isGlobal`, for every folder. */
export function hasServer(file: string, name: string, host: HostInfo): boolean {
  const value = parsedFile(file);
  if (!isJsonObject(value)) return false;
  const parts = host.isGlobal ? [value] : partsOf(value, host);
  return parts.flatMap(serverMapsOf).some((servers) => Object.hasOwn(servers, name));
}

function parsedFile(file: string): unknown {
  try {
    const parsed = parseJsonc(readFileSync(file, 'utf8'));
    return 'value' in parsed ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the parts of a client's file that hold servers; those for this project come first. */
function partsOf(file: JsonObject, host: HostInfo): JsonObject[] {
  const projects = isJsonObject(file.projects) ? Object.entries(file.projects) : [];
  const here = projects.filter(([folder]) => contains(folder, host));
  // The innermost project wins over those around it.
  const nested = here.sort(([a], [b]) => b.length - a.length).map(([, project]) => project);
  const settings = isJsonObject(file.mcp) ? [file.mcp] : [];
  return [...nested.filter(isJsonObject), file, ...settings];
}

function serverMapsOf(part: JsonObject): JsonObject[] {
  return [part.mcpServers, part.servers, part.context_servers].filter(isJsonObject);
}

/** Tells if the working directory is this folder or inside it. */
function contains(folder: string, { cwd, platform }: HostInfo): boolean {
  const normalised = (name: string) => {
    const [slashed] = /^(?:.*[^/])?/s.exec(name.replaceAll('\\', '/')) ?? [''];
    return platform === 'linux' ? slashed : slashed.toLowerCase();
  };
  return `${normalised(cwd)}/`.startsWith(`${normalised(folder)}/`);
}

function inputsOf(file: JsonObject): Inputs {
  const inputs = Array.isArray(file.inputs) ? file.inputs.filter(isJsonObject) : [];
  return new Map(
    inputs.map(({ id, description }) => [
      String(id),
      typeof description === 'string' ? description : undefined,
    ]),
  );
}

/** Replaces a name that PML does not allow, such as "My Server". */
function withValidName(name: string, server: Omit<FoundServer, 'name'>): FoundServer {
  if (isServerName(name)) return { ...server, name };
  const [plain] = /[^-](?:.*[^-])?/.exec(name.replace(/[^A-Za-z0-9_.-]+/g, '-')) ?? [''];
  const better = plain.slice(0, 64) || 'server';
  return { ...server, name: better, notes: [`is called ${JSON.stringify(name)} there`, ...server.notes] };
}
