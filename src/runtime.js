// Plain JavaScript: runs on the oldest Node that PML can be started with.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from './package-files.js';

/** The Nodes for which isolated-vm, PML's sandbox, is built. */
export const SUITABLE_MAJORS = [24, 26];

/**
 * Explains how to fix a missing package, as in a clone before `npm ci`; undefined for any other error.
 * @param {unknown} error
 */
export function missingPackage(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.startsWith('Cannot find package')) return undefined;
  return `PML's dependencies are missing: run npm ci in ${dirname(fileURLToPath(packageFile('package.json')))}`;
}

/** Returns whether PML can run on the Node of this process. */
export function isSuitableNode() {
  return SUITABLE_MAJORS.includes(Number(process.versions.node.split('.')[0]));
}

/** Returns the path of the Node to run PML with: this one if it is suitable, else the one that npm installed with PML. */
export function runtimePath() {
  if (isSuitableNode()) return process.execPath;
  const installed = installedNode();
  if (installed) return installed;
  throw new Error(
    `PML runs on Node ${SUITABLE_MAJORS.join(' and ')} (this is ${process.versions.node}), and the Node 24 that comes with it is missing: ` +
      'install PML again without --omit=optional, or use Node 24.',
  );
}

/**
 * Finds the Node of the optional dependency for this platform. npm installs the one that fits, and it needs no install
 * script.
 */
function installedNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  try {
    const name = `${prefix}-${system}-${process.arch}/package.json`;
    const folder = dirname(createRequire(import.meta.url).resolve(name));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
