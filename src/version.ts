import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.js';

/** This package's version. */
export const VERSION: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version;
