import path from 'node:path';
import type { Config } from './load-config.ts';
import { PERMISSIONS_FILE } from './read-files.ts';
import { openTrustStore } from './trust.ts';

/** Lists the files whose content decides a config in this home, whether they are there or not. */
export function inputFilesOf(
  { file, envFile, servers }: Pick<Config, 'file' | 'envFile' | 'servers'>,
  home: string,
): string[] {
  if (file === null) return [];
  const envFiles = servers.flatMap(({ transport }) =>
    'envFile' in transport && transport.envFile !== undefined ? [transport.envFile] : [],
  );
  const beside = path.join(path.dirname(file), PERMISSIONS_FILE);
  const own = envFile === undefined ? [] : [envFile];
  return [file, beside, openTrustStore(home).entryFile(file), ...own, ...envFiles];
}
