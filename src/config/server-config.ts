import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { untilde } from '../home.js';
import { findSecrets, isSecretSetting, secretUrlParts } from '../secrets/index.ts';
import { addExpanded, addSecret, type Env, type Expanded, expand } from './expand-variables.ts';
import { type ServerEntry, serverEntry } from './file-schema.ts';
import { type Path, type Problem, problemsOf, showPath } from './validation-problems.ts';

export interface ServerConfig {
  name: string;
  transport: Stdio | Remote;
  routing: Routing;
  /** Who may look up the server's record; unchanged if absent. */
  visibility?: Visibility;
  perSession: boolean;
  timeoutMs: number;
  /** The tools to offer, by the server's own names; all if absent. */
  tools?: string[];
  prefix: boolean;
  /** Why it cannot be started here, phrased to follow "it": a variable or a file that its entry needs is missing. */
  cannotStart?: string;
}

export type Routing = 'local' | 'cloud';
type Visibility = 'private' | 'project' | 'org' | 'public';
type Stdio = {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** The file from which some of the variables come. */
  envFile?: string;
};
type Remote = { kind: 'http' | 'sse'; url: string; headers: Record<string, string> };

/** The inputs for building servers, and the lists that collect problems and secrets. */
export interface BuildContext {
  env: Env;
  /** The variables of the config's own envFile; those of the environment win. */
  variables: Env;
  /** The config file's folder. */
  folder: string;
  userHome: string;
  permissions: ReadonlyMap<string, Routing>;
  problems: Problem[];
  secrets: Set<string>;
}

/**
 * Builds a server from its entry, with `cannotStart` if a variable or file that it needs is missing. Returns undefined
 * if the entry is disabled or does not fit the schema. Adds every problem to `build.problems`.
 */
export function buildServer(name: string, raw: unknown, build: BuildContext): ServerConfig | undefined {
  const at: Path = ['mcpServers', name];
  const parsed = serverEntry.safeParse(raw);
  if (!parsed.success) {
    build.problems.push(...problemsOf(parsed.error, raw, at));
    if (!isDisabled(raw)) reportUnsetVariables(raw, at, build);
    return undefined;
  }
  const entry = parsed.data;
  if (entry.disabled) return undefined;
  const known = build.problems.length;
  const conflict = conflictingKey(entry);
  if (conflict) build.problems.push({ path: [...at, ...conflict.path], text: conflict.text });
  const transport =
    entry.command === undefined ? remoteTransport(entry, at, build) : stdioTransport(entry, at, build);
  const { routing, ...rest } = entry.pml;
  const byTransport = transport.kind === 'stdio' ? 'local' : 'cloud';
  const cannotStart = missingProblem(build.problems.slice(known));
  const server = { name, transport, routing: routing ?? build.permissions.get(name) ?? byTransport, ...rest };
  return cannotStart === undefined ? server : { ...server, cannotStart };
}

function missingProblem(problems: readonly Problem[]): string | undefined {
  const missing = problems.filter(({ isMissing }) => isMissing);
  if (missing.length === 0) return undefined;
  return `was not started: ${missing.map(({ path, text }) => `${text} (${showPath(path)})`).join('; ')}`;
}

export function isDisabled(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && 'disabled' in raw && raw.disabled === true;
}

/** Reports the unset variables of an invalid entry too, so that one message has all of its problems. */
function reportUnsetVariables(raw: unknown, at: Path, build: BuildContext): void {
  if (typeof raw === 'string') expandAt(raw, at, build);
  else if (Array.isArray(raw)) raw.forEach((each, i) => void reportUnsetVariables(each, [...at, i], build));
  else if (typeof raw === 'object' && raw !== null) {
    const keys =
      at.length > 2 ? Object.keys(raw) : ['command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers'];
    for (const key of keys) reportUnsetVariables((raw as Record<string, unknown>)[key], [...at, key], build);
  }
}

/** Finds a key that does not go with the others, such as headers beside a command. */
function conflictingKey(entry: ServerEntry): Problem | undefined {
  const { type, command, url } = entry;
  if (command === undefined && url === undefined) {
    return { path: [], text: 'needs "command" (a program) or "url" (a remote server)' };
  }
  if (command !== undefined && url !== undefined) {
    return { path: [], text: 'has both "command" and "url"; keep one of them' };
  }
  const wants = command === undefined ? 'url' : 'command';
  if (type !== undefined && (type === 'stdio') !== (wants === 'command')) {
    return { path: ['type'], text: `"${type}" does not go with "${wants}"` };
  }
  const foreign = wants === 'url' ? (['args', 'env', 'envFile', 'cwd'] as const) : (['headers'] as const);
  const key = foreign.find((each) => Object.keys(entry[each] ?? {}).length > 0);
  return key && { path: [key], text: `has no use beside "${wants}"; remove it` };
}

function stdioTransport(entry: ServerEntry, at: Path, build: BuildContext): Stdio {
  const { folder, userHome } = build;
  const command = untilde(expandAt(entry.command ?? '', [...at, 'command'], build).text, userHome);
  const args = (entry.args ?? []).map((arg, i) => {
    const expanded = expandAt(arg, [...at, 'args', i], build);
    addExpanded(expanded, build.secrets);
    return expanded.text;
  });
  for (const secret of secretArguments(args)) addSecret(secret, build.secrets);
  const cwd = untilde(expandAt(entry.cwd ?? '.', [...at, 'cwd'], build).text, userHome);
  const envFile = envFileOf(entry, at, build);
  const variables = envFile === undefined ? {} : readEnvFile(envFile, at, build);
  const env = { ...variables, ...expandRecord(entry.env, [...at, 'env'], build) };
  return { kind: 'stdio', command, args, env, cwd: path.resolve(folder, cwd), ...(envFile && { envFile }) };
}

/** Finds the values that follow a flag like `--api-key`, and those that look like secrets. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const flag = args[at - 1] ?? '';
    if (flag.startsWith('--') && !arg.startsWith('-') && isSecretSetting(flag, arg)) return [arg];
    return findSecrets(arg).map(({ start, end }) => arg.slice(start, end));
  });
}

function envFileOf(entry: ServerEntry, at: Path, build: BuildContext): string | undefined {
  if (entry.envFile === undefined) return undefined;
  const named = expandAt(entry.envFile, [...at, 'envFile'], build);
  return named.problem ? undefined : path.resolve(build.folder, untilde(named.text, build.userHome));
}

/** Reads the variables of the config's own envFile. A missing file leaves them unset, which costs only the servers that need them. */
export function readVariables(file: string | undefined, secrets: Set<string>): Env {
  if (file === undefined) return {};
  try {
    const found = parseEnv(readFileSync(file, 'utf8'));
    for (const value of Object.values(found)) if (value !== undefined) addSecret(value, secrets);
    return found;
  } catch {
    return {};
  }
}

/** Reads the variables of an entry's envFile. All count as secrets, since such files are made for secrets. */
function readEnvFile(file: string, at: Path, build: BuildContext): Record<string, string> {
  try {
    const found = Object.entries(parseEnv(readFileSync(file, 'utf8'))) as [string, string][];
    for (const [, value] of found) addSecret(value, build.secrets);
    return Object.fromEntries(found);
  } catch {
    build.problems.push({ path: [...at, 'envFile'], text: 'cannot read this file', isMissing: true });
    return {};
  }
}

function remoteTransport(entry: ServerEntry, at: Path, build: BuildContext): Remote {
  const url = urlOf(entry.url ?? '', [...at, 'url'], build);
  const headers = expandRecord(entry.headers, [...at, 'headers'], build);
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      build.problems.push({ path: [...at, 'headers', name], text: 'is not a valid HTTP header' });
    }
  }
  return { kind: entry.type === 'sse' ? 'sse' : 'http', url, headers };
}

/** Expands an address and checks it. Adds the secrets in it to those that are hidden. */
export function urlOf(text: string, at: Path, build: BuildContext): string {
  const expanded = expandAt(text, at, build);
  addExpanded(expanded, build.secrets);
  const url = URL.parse(expanded.text);
  // A missing url has been reported already.
  if (text !== '' && !expanded.problem && !(url && /^https?:$/.test(url.protocol))) {
    build.problems.push({ path: at, text: 'is not an http:// or https:// address' });
  }
  if (url) addSecret(url.password, build.secrets);
  for (const part of secretUrlParts(expanded.text)) addSecret(part, build.secrets);
  for (const [key, value] of url?.searchParams ?? [])
    if (isSecretSetting(key, value)) addSecret(value, build.secrets);
  return expanded.text;
}

function expandRecord(
  record: Record<string, string> | undefined,
  at: Path,
  build: BuildContext,
): Record<string, string> {
  const pairs = Object.entries(record ?? {}).map(([key, value]) => {
    const expanded = expandAt(value, [...at, key], build);
    addExpanded(expanded, build.secrets);
    if (isSecretSetting(key, expanded.text)) addSecret(expanded.text, build.secrets);
    return [key, expanded.text];
  });
  return Object.fromEntries(pairs);
}

export function expandAt(text: string, at: Path, build: BuildContext): Expanded {
  const expanded = expand(text, build.env, build.variables);
  const isMissing = expanded.isUnset === true && at[0] === 'mcpServers';
  if (expanded.problem) build.problems.push({ path: at, text: expanded.problem, isMissing });
  // The system starts no program with a NUL in its arguments.
  else if (expanded.text.includes('\0')) build.problems.push({ path: at, text: 'holds a NUL character' });
  return expanded;
}
