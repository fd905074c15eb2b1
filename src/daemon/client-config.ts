import { type Config, loadConfig, openTrustStore } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Env } from './resources.ts';

/** The folder, environment and flags by which a client finds its config. */
export interface ConfigRequest {
  cwd: string;
  env: Env;
  config?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
}

/** Loads a client's config by what this home trusts, whatever home the client's environment names. */
export function loadClientConfig(home: string, request: ConfigRequest): Config {
  const { cwd, env, config, host, port } = request;
  const flags = {
    ...(config && { config }),
    ...(host && { host }),
    ...(port !== undefined && { port }),
  };
  return loadConfig({ cwd, env, flags, trust: openTrustStore(home) });
}

/** Returns why a client's config cannot be used, and what to do; undefined if it can. */
export function configProblem(home: string, request: ConfigRequest): PmlError | undefined {
  try {
    loadClientConfig(home, request);
    return undefined;
  } catch (error) {
    if (!(error instanceof PmlError && error.code === 'config_invalid')) throw error;
    return new PmlError(error.code, error.message, {
      hint: 'A person mends that (`pml doctor` checks it) and then reconnects this MCP server.',
      cause: error,
    });
  }
}

/** Returns the user of a config, in its scope. */
export function principalOf({ user, scope, admin }: Config): Principal {
  return { user, ...scope, admin };
}

/** Refuses a client that means another database: a home has one, and the client would use the wrong one. */
export function assertSameDatabase(home: string, daemon: Env, client: Env): void {
  if ((client.PML_DATABASE_URL ?? '') === (daemon.PML_DATABASE_URL ?? '')) return;
  throw new PmlError(
    'daemon_running',
    `The PML of ${home} runs on another database than PML_DATABASE_URL says.`,
    { hint: 'Stop it with `pml down`, or set PML_HOME to another folder.' },
  );
}
