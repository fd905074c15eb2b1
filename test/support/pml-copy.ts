import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies PML, with another version or without its dependencies, and returns the program of the copy. */
export function copyOfPml(
  folder: string,
  options: { version?: string; dependencies?: boolean } = {},
): string {
  const { version, dependencies = true } = options;
  mkdirSync(folder, { recursive: true });
  for (const part of ['bin', 'dist'])
    cpSync(join(ROOT, 'build', 'package', part), join(folder, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, ...(version && { version }) }));
  if (dependencies)
    for (const part of ['node_modules', 'build']) symlinkSync(join(ROOT, part), join(folder, part));
  return join(folder, 'bin', 'pml.js');
}
