import os from 'node:os';
import { homeOf } from '../home.js';
import { addSecret, type Env } from './expand.ts';
import { invalid } from './files.ts';
import { findFile, readSettings, type Untrusted } from './load-file.ts';
import { closest } from './problems.ts';
import type { ServerConfig } from './servers.ts';
import type { FileShape } from './shape.ts';
import { openTrust } from './trust.ts';
import type { Trust } from './trusted-configs.ts';

export { type Layout, parseJsonc } from './jsonc.ts';
export { nearestFile, type Untrusted } from './load-file.ts';
export { untrustedNotice } from './notice.ts';
export type { Power } from './power.ts';
export type { ServerConfig } from './servers.ts';
export { IGNORED_KEYS, isServerName, serverEntry } from './shape.ts';
export { openTrust, readPower, trustFile } from './trust.ts';
export type { Trust } from './trusted-configs.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface Config {
  /** The pml.json that was read. */
  file: string | null;
  home: string;
  databaseUrl?: string;
  host: string;
  port: number;
  logLevel: (typeof LOG_LEVELS)[number];
  user: string;
  scope: { org: string; project: string };
  /** The user may change what others made in the scope. */
  admin: boolean;
  servers: readonly ServerConfig[];
  expose: { upstream: 'all' | 'none'; capabilities: 'all' | 'none' | number };
  sandbox: FileShape['sandbox'];
  curation: FileShape['curation'];
  names: FileShape['names'];
  lifecycle: FileShape['lifecycle'];
  agents: FileShape['agents'];
  /** Values that must not appear in logs, nor in what is stored of runs. */
  secrets: readonly string[];
  /** The file was found, but nobody has trusted what it runs and sends: the config is without that. */
  untrusted?: Untrusted;
}

export interface Flags {
  config?: string;
  host?: string;
  port?: number;
}

export interface ConfigInput {
  cwd: string;
  env: Env;
  flags?: Flags;
  /** Which found files may run and send what they say. Default: what the home trusts. */
  trust?: Trust;
}

/** Everything that can be set, from flags, environment and file, in this order of weight. */
export function loadConfig({ cwd, env, flags = {}, trust }: ConfigInput): Config {
  const secrets = new Set<string>();
  const settings = fromEnvironment(cwd, env, flags, secrets);
  const [org, project] = [scopeName(env, 'PML_ORG'), scopeName(env, 'PML_PROJECT')];
  const named = flags.config ?? setting(env, 'PML_CONFIG');
  const found = findFile(cwd, env, named, flags.config === undefined ? 'PML_CONFIG' : '--config');
  const around = { cwd, env, secrets, trust: trust ?? openTrust(settings.home) };
  const { scope, expose, ...rest } = readSettings(found, around);
  const { servers, sandbox, curation, names, lifecycle, agents, untrusted } = rest;
  const used = { org: org ?? scope.org, project: project ?? scope.project };
  // The file speaks for its own scope alone, not for one that the environment puts in its place.
  const isOwn = used.org === scope.org && used.project === scope.project;
  return deepFreeze({
    file: found?.file ?? null,
    ...settings,
    scope: used,
    admin: isOwn && scope.admins.includes(settings.user),
    servers,
    expose: typeof expose === 'object' ? expose : EXPOSE[expose],
    sandbox,
    curation,
    names,
    lifecycle,
    agents,
    secrets: [...secrets],
    ...(untrusted && { untrusted }),
  });
}

const EXPOSE = {
  all: { upstream: 'all', capabilities: 'all' },
  lean: { upstream: 'none', capabilities: 'none' },
} as const;

/** What the environment alone settles: what is one for all sessions of a home. */
export function loadSettings(env: Env): Pick<Config, 'home' | 'databaseUrl' | 'logLevel' | 'secrets'> {
  const secrets = new Set<string>();
  const { home, databaseUrl, logLevel } = fromEnvironment(process.cwd(), env, {}, secrets);
  return { home, logLevel, secrets: [...secrets], ...(databaseUrl !== undefined && { databaseUrl }) };
}

/** What flags and environment alone settle. */
function fromEnvironment(cwd: string, env: Env, flags: Flags, secrets: Set<string>) {
  const databaseUrl = databaseUrlOf(env, secrets);
  const level = setting(env, 'PML_LOG')?.toLowerCase() ?? 'info';
  const logLevel = LOG_LEVELS.find((each) => each === level);
  if (!logLevel) {
    const near = closest(level, LOG_LEVELS);
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    throw invalid(`PML_LOG: expected ${LOG_LEVELS.join(', ')}, got ${quote(level)}${hint}`);
  }
  if (flags.host?.trim() === '') throw invalid('--host: must not be empty');
  const port = setting(env, 'PML_PORT') ?? '3737';
  return {
    home: homeOf(env, cwd),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    host: flags.host ?? '127.0.0.1',
    port: flags.port === undefined ? portOf('PML_PORT', port) : portOf('--port', String(flags.port)),
    logLevel,
    user: userOf(env),
  };
}

function databaseUrlOf(env: Env, secrets: Set<string>): string | undefined {
  const text = setting(env, 'PML_DATABASE_URL');
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw invalid('PML_DATABASE_URL: is not a postgres:// address');
  if (url.password !== '') addSecret(text, secrets);
  addSecret(url.password, secrets);
  return text;
}

function portOf(source: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  // 0 asks the system for any free port.
  if (!(port <= 65_535)) throw invalid(`${source}: expected a port from 0 to 65535, got ${quote(text)}`);
  return port;
}

function userOf(env: Env): string {
  const named = setting(env, 'PML_USER');
  if (named !== undefined) {
    if (/\p{Cc}/u.test(named) || named.length > 256)
      throw invalid('PML_USER: too long, or with control characters');
    return named;
  }
  try {
    return os.userInfo().username;
  } catch {
    // A container may run under a number that no user has.
    return setting(env, 'USER') ?? 'local';
  }
}

function scopeName(env: Env, variable: string): string | undefined {
  const name = setting(env, variable);
  if (name === undefined || /^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw invalid(`${variable}: must be 1 to 64 letters, digits, "_" or "-", got ${quote(name)}`);
}

/** A variable that is set to nothing counts as unset. */
function setting(env: Env, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value?.trim() || undefined;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
