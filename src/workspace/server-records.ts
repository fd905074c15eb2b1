import type { Config } from '../config/index.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { registerServer } from '../registry/servers/index.ts';
import type { Db } from '../store/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { codeUrlOf } from './code-url.ts';

export interface ServerRecordOptions {
  db: Db;
  config: Pick<Config, 'scope' | 'secrets' | 'user'>;
  log: Log;
}

/** Keeps the registry's record of a server in step with its config, and with the version that the server reports. */
export async function recordServer(
  { db, config, log }: ServerRecordOptions,
  { name, server, catalog }: Upstream,
): Promise<void> {
  // An entry that lacks a variable does not say where the server is.
  if (server.cannotStart !== undefined) return;
  const version = typeof catalog.server.version === 'string' ? catalog.server.version : undefined;
  try {
    await registerServer(db, config.scope, {
      name,
      user: config.user,
      visibility: server.visibility,
      routing: server.routing,
      codeUrl: codeUrlOf(server, config.secrets),
      version,
    });
  } catch (error) {
    log.debug(`server "${name}" could not be recorded: ${messageOf(error)}`);
  }
}
