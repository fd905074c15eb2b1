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

/** Loads a client's config with the trust store of the daemon's home, whatever home the client's environment names. */
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
      hint: 'Ask the user to fix it (`pml doctor` checks it) and to reconnect this MCP server.',
      cause: error,
    });
  }
}

/** Returns the user of a config, in its scope. */
export function principalOf({ user, scope, admin }: Config): Principal {
  return { user, ...scope, admin };
}

/** Refuses a client whose PML_DATABASE_URL differs from the daemon's: it would use the wrong database. */
export function assertSameDatabase(home: string, daemon: Env, client: Env): void {
  if ((client.PML_DATABASE_URL ?? '') === (daemon.PML_DATABASE_URL ?? '')) return;
  throw new PmlError(
    'daemon_running',
    `The PML of ${home} runs on another database than PML_DATABASE_URL says.`,
    { hint: 'Stop it with `pml down`, or set PML_HOME to another folder.' },
  );
}
