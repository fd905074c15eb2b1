import { type Flags, type LogLevel, readEnvironment, scopeName, setting } from './environment.ts';
import type { Env } from './expand-variables.ts';
import type { ParsedFile } from './file-schema.ts';
import { findFile } from './find-file.ts';
import { loadFile, type Untrusted } from './load-file.ts';
import { type ModelAccess, readModelAccess } from './model-access.ts';
import type { ServerConfig } from './server-config.ts';
import { openTrustStore } from './trust.ts';
import type { TrustLookup } from './trust-store.ts';

export interface Config {
  /** The pml.json that was read; null if there is none. */
  file: string | null;
  /** The file with the variables that the config may name besides those of the environment. */
  envFile?: string | undefined;
  home: string;
  databaseUrl?: string;
  host: string;
  port: number;
  logLevel: LogLevel;
  user: string;
  scope: { org: string; project: string };
  /** The user may change what others made in the scope. */
  admin: boolean;
  servers: readonly ServerConfig[];
  /** The names of the servers that the file disables. */
  disabledServers: readonly string[];
  expose: { upstream: 'all' | 'auto' | 'none'; capabilities: 'all' | 'none' | number };
  /** How many tokens the tools may take, as estimated, if `expose.upstream` is auto. */
  exposeBudget: number;
  sandbox: ParsedFile['sandbox'];
  curation: ParsedFile['curation'];
  learning: ParsedFile['learning'];
  discovery: ParsedFile['discovery'];
  names: ParsedFile['names'];
  lifecycle: ParsedFile['lifecycle'];
  journal: ParsedFile['journal'];
  /** How the user reaches models. The daemon hides the keys: they are not in `secrets`, which tell workspaces apart. */
  models: ModelAccess;
  modelPrices: ParsedFile['modelPrices'];
  agents: ParsedFile['agents'];
  /** The agent of sessions that name none; null if such sessions may use everything. */
  defaultAgent: string | null;
  /** Values that must appear neither in logs nor in stored runs. */
  secrets: readonly string[];
  /** Set if the file was found but is not trusted: the config then neither runs nor sends anything. */
  untrusted?: Untrusted;
}

export interface ConfigInput {
  cwd: string;
  env: Env;
  flags?: Flags;
  /** Decides which found files are trusted. Default: the store of the home. */
  trust?: TrustLookup;
}

/** Loads all settings. Flags win over the environment, the environment over the file, the file over defaults. */
export function loadConfig({ cwd, env, flags = {}, trust }: ConfigInput): Config {
  const secrets = new Set<string>();
  const settings = readEnvironment(cwd, env, flags, secrets);
  const [org, project] = [scopeName(env, 'PML_ORG'), scopeName(env, 'PML_PROJECT')];
  const named = flags.config ?? setting(env, 'PML_CONFIG');
  const found = findFile(cwd, env, named, flags.config === undefined ? 'PML_CONFIG' : '--config');
  const context = { cwd, env, secrets, trust: trust ?? openTrustStore(settings.home) };
  const { scope, expose, exposeBudget, ...rest } = loadFile(found, context);
  const {
    servers,
    disabledServers,
    sandbox,
    curation,
    learning,
    discovery,
    names,
    lifecycle,
    journal,
    agents,
    defaultAgent,
    modelPrices,
    untrusted,
    envFile,
  } = rest;
  const used = { org: org ?? scope.org, project: project ?? scope.project };
  // The file names admins for its own scope only, not for a scope that the environment sets.
  const isOwn = used.org === scope.org && used.project === scope.project;
  return deepFreeze({
    file: found?.file ?? null,
    ...settings,
    scope: used,
    admin: isOwn && scope.admins.includes(settings.user),
    servers,
    disabledServers,
    expose: typeof expose === 'object' ? expose : EXPOSE[expose],
    exposeBudget,
    sandbox,
    curation,
    models: readModelAccess(env),
    modelPrices,
    learning,
    discovery,
    names,
    lifecycle,
    journal,
    agents,
    defaultAgent,
    secrets: [...secrets],
    ...(envFile !== undefined && { envFile }),
    ...(untrusted && { untrusted }),
  });
}

const EXPOSE = {
  all: { upstream: 'all', capabilities: 'all' },
  auto: { upstream: 'auto', capabilities: 'all' },
  lean: { upstream: 'none', capabilities: 'none' },
} as const;

/** Loads the settings that all sessions of a home share; the environment alone decides them. */
export function loadSettings(env: Env): Pick<Config, 'home' | 'databaseUrl' | 'logLevel' | 'secrets'> {
  const secrets = new Set<string>();
  const { home, databaseUrl, logLevel } = readEnvironment(process.cwd(), env, {}, secrets);
  return { home, logLevel, secrets: [...secrets], ...(databaseUrl !== undefined && { databaseUrl }) };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
