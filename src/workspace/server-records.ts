import type { Config, ServerConfig } from '../config/index.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { registerServer } from '../registry/index.ts';
import { publicUrl } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import type { Upstream } from '../upstream/index.ts';

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

const PACKAGE = /^(@[\w.-]+\/)?[\w.-]+/;

/** Returns where the code of a server is published, if its config tells, and leaves out anything that may be secret. */
export function codeUrlOf(
  { transport }: Pick<ServerConfig, 'transport'>,
  secrets: readonly string[],
): string | null {
  if (transport.kind !== 'stdio') return publicUrl(transport.url, secrets);
  const program = transport.command.split(/[/\\]/).at(-1) ?? '';
  const [, runner] = /^(npx|bunx|uvx)(?:\.\w+)?$/.exec(program) ?? [];
  const [name] = PACKAGE.exec(transport.args.find((arg) => !arg.startsWith('-')) ?? '') ?? [];
  if (!name) return null;
  if (runner === 'npx' || runner === 'bunx') return `https://www.npmjs.com/package/${name}`;
  return runner === 'uvx' ? `https://pypi.org/project/${name}` : null;
}
