import path from 'node:path';
import type { Config } from './load-config.ts';
import { PERMISSIONS_FILE } from './read-files.ts';
import { openTrustStore } from './trust.ts';

/** Lists the files whose content decides a config in this home, whether they are there or not. */
export function inputFilesOf({ file, servers }: Pick<Config, 'file' | 'servers'>, home: string): string[] {
  if (file === null) return [];
  const envFiles = servers.flatMap(({ transport }) =>
    'envFile' in transport && transport.envFile !== undefined ? [transport.envFile] : [],
  );
  const beside = path.join(path.dirname(file), PERMISSIONS_FILE);
  return [file, beside, openTrustStore(home).entryFile(file), ...envFiles];
}
