import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type ConfigEffects, effectsOf } from './effects.ts';
import { readJson, readPermissions } from './read-files.ts';
import { TrustStore } from './trust-store.ts';

/** Opens the home's store. The first time, it adopts the files that earlier versions used there. */
export function openTrustStore(home: string): TrustStore {
  const folder = path.join(home, 'trusted-configs');
  if (!existsSync(folder) && existsSync(home)) adoptFormerFiles(home, folder);
  return new TrustStore(folder);
}

/** Reads the effects of a file as it is now. */
export function readEffects(file: string, label = file): ConfigEffects {
  return effectsOf(readJson(file, label), readPermissions(path.dirname(file), path.dirname(file)));
}

/** Trusts a file at its present content, and returns its effects. */
export function trustFile(home: string, file: string): ConfigEffects {
  const effects = readEffects(file);
  // Without effects there is nothing to trust, and no home is created.
  if (effects.lines.length > 0) openTrustStore(home).add(file, effects.fingerprint);
  return effects;
}

/** A log line of the versions that did not ask for trust; later versions log other words. */
const OPENED_WORKSPACE = /^\S+Z INFO {2}opening workspace of (.+) with \d+ servers$/gm;

/** Trusts, at their present content, the files that earlier versions ran without asking. All or nothing, and only once. */
function adoptFormerFiles(home: string, folder: string): void {
  const draft = `${folder}.${randomUUID()}`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    const adopted = new TrustStore(draft);
    for (const file of formerFiles(home)) adopt(adopted, file);
    renameSync(draft, folder);
  } catch {
    // Another process was first, or the home cannot be written: then PML asks about the files.
    rmSync(draft, { recursive: true, force: true });
  }
}

function adopt(adopted: TrustStore, file: string): void {
  try {
    adopted.add(file, readEffects(file).fingerprint);
  } catch {
    // The file is gone, or no longer a config.
  }
}

function formerFiles(home: string): Set<string> {
  const logs = ['pml.log.old', 'pml.log'].map((name) => readOrEmpty(path.join(home, 'log', name)));
  const files = logs.flatMap((text) =>
    [...text.matchAll(OPENED_WORKSPACE)].map(([, file]) => file as string),
  );
  return new Set(files.filter((file) => path.isAbsolute(file) && path.basename(file) === 'pml.json'));
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
