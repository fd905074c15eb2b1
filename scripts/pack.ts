// Puts what is published beside the sources, for `npm pack` and `npm publish`, which run this before and, with --clean,
// after they pack. A checkout goes on running from its sources meanwhile.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { prepareTemplate } from '../src/store/pglite/cluster.ts';
import { buildPackage, PACKAGE } from './build.ts';
import { writeDeclarations } from './declarations.ts';

const DIST = path.join(import.meta.dirname, '..', 'dist');

rmSync(DIST, { recursive: true, force: true });
if (!process.argv.includes('--clean')) {
  await prepareTemplate();
  await buildPackage();
  await writeDeclarations(path.join(PACKAGE, 'dist'));
  cpSync(path.join(PACKAGE, 'dist'), DIST, { recursive: true });
}
