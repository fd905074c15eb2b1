import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { untilde } from '../home.js';
import { findSecrets, isSecretSetting, secretUrlParts } from '../secrets/index.ts';
import { addExpanded, addSecret, type Env, type Expanded, expand } from './expand.ts';
import { type Path, type Problem, problemsOf } from './problems.ts';
import { type ServerEntry, serverEntry } from './shape.ts';

export interface ServerConfig {
  name: string;
  transport: Stdio | Remote;
  routing: Routing;
  perSession: boolean;
  timeoutMs: number;
  /** The server's own names of the tools to offer; all of them when absent. */
  tools?: string[];
  prefix: boolean;
}

export type Routing = 'local' | 'cloud';
type Stdio = { kind: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string };
type Remote = { kind: 'http' | 'sse'; url: string; headers: Record<string, string> };

/** What turning entries into servers needs to know, and where it leaves what it finds. */
export interface Build {
  env: Env;
  /** The config file's folder. */
  folder: string;
  userHome: string;
  permissions: ReadonlyMap<string, Routing>;
  problems: Problem[];
  secrets: Set<string>;
}

/** A server as PML starts it; none for one that is disabled, or has a problem, which is then added. */
export function buildServer(name: string, raw: unknown, build: Build): ServerConfig | undefined {
  const at: Path = ['mcpServers', name];
  const parsed = serverEntry.safeParse(raw);
  if (!parsed.success) {
    build.problems.push(...problemsOf(parsed.error, raw, at));
    if (!isDisabled(raw)) tryExpansions(raw, at, build);
    return undefined;
  }
  const entry = parsed.data;
  if (entry.disabled) return undefined;
  const misuse = misused(entry);
  if (misuse) build.problems.push({ path: [...at, ...misuse.path], text: misuse.text });
  const transport = entry.command === undefined ? remote(entry, at, build) : local(entry, at, build);
  const { routing, ...rest } = entry.pml;
  const usual = transport.kind === 'stdio' ? 'local' : 'cloud';
  return { name, transport, routing: routing ?? build.permissions.get(name) ?? usual, ...rest };
}

function isDisabled(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && 'disabled' in raw && raw.disabled === true;
}

/** Finds unset variables in an entry that is wrong in other ways too, so that one look at the message is enough. */
function tryExpansions(raw: unknown, at: Path, build: Build): void {
  if (typeof raw === 'string') expandAt(raw, at, build);
  else if (Array.isArray(raw)) raw.forEach((each, i) => void tryExpansions(each, [...at, i], build));
  else if (typeof raw === 'object' && raw !== null) {
    const keys =
      at.length > 2 ? Object.keys(raw) : ['command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers'];
    for (const key of keys) tryExpansions((raw as Record<string, unknown>)[key], [...at, key], build);
  }
}

/** A key that the other keys make senseless, such as headers for a command. */
function misused(entry: ServerEntry): Problem | undefined {
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

function local(entry: ServerEntry, at: Path, build: Build): Stdio {
  const { folder, userHome } = build;
  const command = untilde(expandAt(entry.command ?? '', [...at, 'command'], build).text, userHome);
  const args = (entry.args ?? []).map((arg, i) => {
    const expanded = expandAt(arg, [...at, 'args', i], build);
    addExpanded(expanded, build.secrets);
    return expanded.text;
  });
  for (const secret of secretArguments(args)) addSecret(secret, build.secrets);
  const cwd = untilde(expandAt(entry.cwd ?? '.', [...at, 'cwd'], build).text, userHome);
  const env = { ...variablesOf(entry, at, build), ...expandRecord(entry.env, [...at, 'env'], build) };
  return { kind: 'stdio', command, args, env, cwd: path.resolve(folder, cwd) };
}

/** What stands after a flag like `--api-key`, or has the shape of a secret. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const flag = args[at - 1] ?? '';
    if (flag.startsWith('--') && !arg.startsWith('-') && isSecretSetting(flag, arg)) return [arg];
    return findSecrets(arg).map(({ start, end }) => arg.slice(start, end));
  });
}

/** The variables of an entry's envFile; all of them count as secret, since that is what such files are for. */
function variablesOf(entry: ServerEntry, at: Path, build: Build): Record<string, string> {
  if (entry.envFile === undefined) return {};
  const where = [...at, 'envFile'];
  const named = expandAt(entry.envFile, where, build);
  if (named.problem) return {};
  const file = path.resolve(build.folder, untilde(named.text, build.userHome));
  try {
    const found = Object.entries(parseEnv(readFileSync(file, 'utf8'))) as [string, string][];
    for (const [, value] of found) addSecret(value, build.secrets);
    return Object.fromEntries(found);
  } catch {
    build.problems.push({ path: where, text: 'cannot read this file' });
    return {};
  }
}

function remote(entry: ServerEntry, at: Path, build: Build): Remote {
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

function urlOf(text: string, at: Path, build: Build): string {
  const expanded = expandAt(text, at, build);
  addExpanded(expanded, build.secrets);
  const url = URL.parse(expanded.text);
  // An absent url has its problem already.
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
  build: Build,
): Record<string, string> {
  const pairs = Object.entries(record ?? {}).map(([key, value]) => {
    const expanded = expandAt(value, [...at, key], build);
    addExpanded(expanded, build.secrets);
    if (isSecretSetting(key, expanded.text)) addSecret(expanded.text, build.secrets);
    return [key, expanded.text];
  });
  return Object.fromEntries(pairs);
}

function expandAt(text: string, at: Path, build: Build): Expanded {
  const expanded = expand(text, build.env);
  if (expanded.problem) build.problems.push({ path: at, text: expanded.problem });
  // No program can be started with one.
  else if (expanded.text.includes('\0')) build.problems.push({ path: at, text: 'holds a NUL character' });
  return expanded;
}
