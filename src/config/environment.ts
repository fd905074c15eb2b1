import os from 'node:os';
import { closest } from '../edit-distance.ts';
import { homeOf } from '../home.js';
import { addSecret, type Env } from './expand-variables.ts';
import { invalid } from './read-files.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Flags {
  config?: string;
  host?: string;
  port?: number;
}

/** Reads the settings that flags and environment alone decide. Adds to `secrets` what must not be logged. */
export function readEnvironment(cwd: string, env: Env, flags: Flags, secrets: Set<string>) {
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
    ...(databaseUrl !== undefined && { databaseUrl }),
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
  // Port 0 asks the system for any free port.
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
    // In a container the process may have a user id without a name.
    return setting(env, 'USER') ?? 'local';
  }
}

export function scopeName(env: Env, variable: string): string | undefined {
  const name = setting(env, variable);
  if (name === undefined || /^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw invalid(`${variable}: must be 1 to 64 letters, digits, "_" or "-", got ${quote(name)}`);
}

/** Returns a variable's value; one that is empty or blank counts as unset. */
export function setting(env: Env, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value?.trim() || undefined;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
