import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Collects the licences of the packages to which these files belong: whoever ships their code must ship these, too. */
export function licensesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []));
  return [...folders].sort().map(licenseOf).join('\n\n');
}

function packageFolder(file: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const title = `=== ${name} ${version} (${license})`;
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));

  return file ? `${title}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}` : title;
}
