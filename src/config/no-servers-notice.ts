import type { Config } from './load-config.ts';

const MAX_PATH_LENGTH = 300;

/**
 * Says that a config has no servers, and what a person can do. Undefined if it has some, disables them on purpose, or
 * is not trusted, since an untrusted file may name some.
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
