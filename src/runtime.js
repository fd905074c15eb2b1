// Plain JavaScript: runs on the oldest Node that PML can be started with.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from './package-files.js';

export const NEEDED_MAJOR = 24;

/**
 * Explains how to fix a missing package, as in a clone before `npm ci`; undefined for any other error.
 * @param {unknown} error
 */
export function missingPackage(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.startsWith('Cannot find package')) return undefined;
  return `PML's dependencies are missing: run npm ci in ${dirname(fileURLToPath(packageFile('package.json')))}`;
}

/** Returns the path of the Node to run PML with: this one if it is new enough, else the one that npm installed with PML. */
export function runtimePath() {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) return process.execPath;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // The error below says what to do.
  }
  throw new Error(
    `PML needs Node ${NEEDED_MAJOR} or newer (this is ${process.versions.node}): run npm ci in PML's folder, or install it.`,
  );
}
