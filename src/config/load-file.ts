import path from 'node:path';
import { closest } from '../edit-distance.ts';
import { untilde, userHomeOf } from '../home.js';
import { isJsonObject } from '../json.ts';
import { buildDiscovery } from './discovery-config.ts';
import { effectsOf } from './effects.ts';
import { expandSettings } from './expand-settings.ts';
import { type Env, variablesOf } from './expand-variables.ts';
import { fileSchema, type ParsedFile } from './file-schema.ts';
import type { FoundFile } from './find-file.ts';
import { invalidFile, labelOf, readJson, readPermissions } from './read-files.ts';
import {
  type BuildContext,
  buildServer,
  isDisabled,
  readVariables,
  type ServerConfig,
} from './server-config.ts';
import { realFolder, type TrustLookup } from './trust-store.ts';
import { type Problem, problemsOf, showPath } from './validation-problems.ts';

/** Describes a file that nobody has trusted: its limits and scope count, but it runs and sends nothing. */
export interface Untrusted {
  /** The file was trusted, and its effects have changed since. */
  changed: boolean;
  /** The effects it would have, a line each. */
  lines: readonly string[];
}

export type FileSettings = Omit<ParsedFile, 'mcpServers' | '$schema'> & {
  servers: ServerConfig[];
  /** The names of the servers that the file disables. */
  disabledServers: string[];
  untrusted?: Untrusted;
};

interface LoadContext {
  cwd: string;
  env: Env;
  secrets: Set<string>;
  trust: TrustLookup;
}

/** Loads the settings of a file. Trust is decided on the parsed content that is used, so no later change escapes it. */
export function loadFile(
  found: FoundFile | undefined,
  { cwd, env, secrets, trust }: LoadContext,
): FileSettings {
  if (found === undefined) return { ...fileSchema.parse({}), servers: [], disabledServers: [] };
  const [folder, label] = [realFolder(found.file), labelOf(found.file, cwd)];
  const raw = readJson(found.file, label);
  // Entries are parsed one by one, so that one wrong entry does not hide the problems of others.
  const { entries, rest } = splitServers(raw);
  let permissions: ReturnType<typeof readPermissions> | undefined;
  // Read once, so that trust is decided on the routing that is used.
  const readRouting = () => {
    permissions ??= readPermissions(path.dirname(found.file), cwd);
    return permissions;
  };
  const untrusted = found.chosen ? undefined : trustProblem(found.file, trust, raw, readRouting);
  if (untrusted) return withoutEffects(parseUntrusted(rest, label), untrusted);
  const userHome = userHomeOf(env);
  const envFile = envFileOf(rest, folder, userHome);
  const variables = readVariables(envFile, secrets);
  const build: BuildContext = {
    env,
    variables,
    folder,
    userHome,
    permissions: readRouting(),
    problems: [],
    secrets,
  };
  const servers = entries.flatMap(([name, entry]) => buildServer(name, entry, build) ?? []);
  const parsed = parseExpanded(rest, build);
  if (parsed.success) build.problems.push(...defaultAgentProblems(parsed.data));
  const discovery = parsed.success ? buildDiscovery(parsed.data.discovery, build) : undefined;
  // A variable or file that is missing on this machine disables only its server.
  const isInvalid = build.problems.some(({ isMissing }) => !isMissing);
  if (!parsed.success || !discovery || isInvalid) throw invalidFile(build.problems, label);
  const disabledServers = entries.flatMap(([name, entry]) => (isDisabled(entry) ? [name] : []));
  return { ...parsed.data, envFile, servers, disabledServers, discovery };
}

/** Parses the settings with their variables expanded, and adds the problems of both. A text has one problem at most. */
function parseExpanded(rest: unknown, build: BuildContext): ReturnType<typeof fileSchema.safeParse> {
  const known = build.problems.length;
  const parsed = fileSchema.safeParse(expandSettings(rest, build));
  if (parsed.success) return parsed;
  const unexpanded = new Set(build.problems.slice(known).map(({ path: at }) => showPath(at)));
  // The values that are shown are those of the file, never those of variables.
  const problems = problemsOf(parsed.error, rest);
  build.problems.push(...problems.filter(({ path: at }) => !unexpanded.has(showPath(at))));
  return parsed;
}

/** Parses a file that nobody has trusted. A scope that it takes from variables does not count. */
function parseUntrusted(rest: unknown, label: string): ParsedFile {
  const takesScope = isJsonObject(rest) && variablesOf(rest.scope).length > 0;
  const read = takesScope ? { ...rest, scope: undefined } : rest;
  const parsed = fileSchema.safeParse(read);
  if (!parsed.success) throw invalidFile(problemsOf(parsed.error, read), label);
  return parsed.data;
}

function envFileOf(rest: unknown, folder: string, userHome: string): string | undefined {
  const named = isJsonObject(rest) ? rest.envFile : undefined;
  return typeof named === 'string' ? path.resolve(folder, untilde(named, userHome)) : undefined;
}

function defaultAgentProblems({ agents, defaultAgent }: ParsedFile): Problem[] {
  if (defaultAgent === null || Object.hasOwn(agents, defaultAgent)) return [];
  const near = closest(defaultAgent, Object.keys(agents));
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return [{ path: ['defaultAgent'], text: `there is no agent "${defaultAgent}" in "agents"${hint}` }];
}

/** Returns why the file is not trusted; undefined if it is, or needs no trust. */
function trustProblem(
  file: string,
  trust: TrustLookup,
  raw: unknown,
  readRouting: () => ReadonlyMap<string, string>,
): Untrusted | undefined {
  const { lines } = effectsOf(raw, new Map());
  // A file without effects needs no trust.
  if (lines.length === 0) return undefined;
  const trusted = trust.fingerprintOf(file);
  // Files beside an untrusted one are not even read.
  if (trusted === undefined) return { changed: false, lines };
  return effectsOf(raw, readRouting()).fingerprint === trusted ? undefined : { changed: true, lines };
}

/** Keeps the limits and the scope of a file, and drops everything by which it could act. */
function withoutEffects(
  { scope, expose, exposeBudget, sandbox, learning, discovery, names, lifecycle, modelPrices }: ParsedFile,
  untrusted: Untrusted,
): FileSettings {
  const { curation, agents, defaultAgent, journal, discovery: usual } = fileSchema.parse({});
  const inert = {
    servers: [],
    disabledServers: [],
    curation,
    agents,
    defaultAgent,
    // A stranger's file must not delete anything.
    journal,
    scope: { ...scope, admins: [] },
  };
  const sends = typeof discovery.embeddings === 'object';
  return {
    ...inert,
    discovery: sends ? usual : discovery,
    expose,
    exposeBudget,
    sandbox,
    learning,
    names,
    lifecycle,
    modelPrices,
    untrusted,
  };
}

function splitServers(raw: unknown): { entries: [string, unknown][]; rest: unknown } {
  if (typeof raw !== 'object' || raw === null || !('mcpServers' in raw)) return { entries: [], rest: raw };
  const { mcpServers } = raw;
  if (typeof mcpServers !== 'object' || mcpServers === null || Array.isArray(mcpServers))
    return { entries: [], rest: raw };
  // The names stay, each with an empty entry, to be validated as keys.
  const names = Object.fromEntries(Object.keys(mcpServers).map((name) => [name, {}]));
  return { entries: Object.entries(mcpServers), rest: { ...raw, mcpServers: names } };
}
