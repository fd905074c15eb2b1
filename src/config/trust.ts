import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readJson, readPermissions } from './files.ts';
import { type Power, powerOf } from './power.ts';
import { TrustedConfigs } from './trusted-configs.ts';

/** What a home trusts. The first time, the files that earlier versions have used there. */
export function openTrust(home: string): TrustedConfigs {
  const folder = path.join(home, 'trusted-configs');
  if (!existsSync(folder) && existsSync(home)) adoptUsed(home, folder);
  return new TrustedConfigs(folder);
}

/** The power of the file as it is now. */
export function readPower(file: string, label = file): Power {
  return powerOf(readJson(file, label), readPermissions(path.dirname(file), path.dirname(file)));
}

/** Trusts a file at its present content, and says what that lets it do. */
export function trustFile(home: string, file: string): Power {
  const power = readPower(file);
  // Where there is nothing to trust, no home is made for it.
  if (power.lines.length > 0) openTrust(home).add(file, power.fingerprint);
  return power;
}

/** Written by the versions that asked nobody; those that ask write other words. */
const USED = /^\S+Z INFO {2}opening workspace of (.+) with \d+ servers$/gm;

/** Trusts what earlier versions ran without asking, as it is now. Done whole or not at all, and only once. */
function adoptUsed(home: string, folder: string): void {
  const draft = `${folder}.${randomUUID()}`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    const adopted = new TrustedConfigs(draft);
    for (const file of usedBefore(home)) adopt(adopted, file);
    renameSync(draft, folder);
  } catch {
    // Another process was first, or the home cannot be written: then the files are asked about.
    rmSync(draft, { recursive: true, force: true });
  }
}

function adopt(adopted: TrustedConfigs, file: string): void {
  try {
    adopted.add(file, readPower(file).fingerprint);
  } catch {
    // It is gone, or no config any more.
  }
}

function usedBefore(home: string): Set<string> {
  const logs = ['pml.log.old', 'pml.log'].map((name) => textOf(path.join(home, 'log', name)));
  const files = logs.flatMap((text) => [...text.matchAll(USED)].map(([, file]) => file as string));
  return new Set(files.filter((file) => path.isAbsolute(file) && path.basename(file) === 'pml.json'));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
