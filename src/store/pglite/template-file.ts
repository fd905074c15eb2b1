import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../package-files.js';
import { readMigrations } from '../migrate.ts';

/** Raised when the preparation of a cluster changes, which the hash of the schema does not show. */
const PREPARATION = '2';

/**
 * The prepared cluster's archive. Its name holds PGlite's version and a hash of the schema, so a stale one is not
 * found. In a file apart from cluster.ts, which loads PGlite: only the worker needs that.
 */
export function templateFile(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const schema = createHash('sha256').update(PREPARATION);
  for (const { checksum } of readMigrations()) schema.update(checksum);
  const name = `pglite-${version}-${schema.digest('hex').slice(0, 8)}.zst`;
  return fileURLToPath(packageFile(`build/${name}`));
}
