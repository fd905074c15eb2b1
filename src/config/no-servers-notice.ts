import type { Config } from './load-config.ts';

const MAX_PATH_LENGTH = 300;

/**
 * Says that a config has no servers, and what a person can do; undefined if it has some, or has them off on purpose. A file
 * that is not trusted may name some.
 */
export function noServersNotice({
  file,
  servers,
  disabledServers,
  untrusted,
}: Pick<Config, 'file' | 'disabledServers' | 'untrusted'> & { servers: readonly unknown[] }):
  | string
  | undefined {
  if (servers.length > 0 || disabledServers.length > 0 || untrusted) return undefined;
  const where =
    file === null
      ? 'No pml.json was found from this folder upwards, nor in PML_HOME'
      : `${JSON.stringify(file.slice(0, MAX_PATH_LENGTH))} names none`;
  return `0 servers. Next: pml init (in a terminal, then reconnect). ${where}.`;
}
