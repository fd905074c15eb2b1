import { type Entry, plainSecrets } from './convert.ts';
import type { Candidate } from './merge.ts';
import type { ClientFile, Place } from './paths.ts';
import type { ClientServers } from './read.ts';

type Out = Pick<Place, 'homeDir' | 'env'> & { print(line: string): void };

/** Tells where servers were looked for and what was there. */
export function reportFound(sources: readonly ClientServers[], out: Out): void {
  for (const { from, servers, skipped, problem } of sources) {
    const count = servers.length === 1 ? '1 server' : `${servers.length} servers`;
    out.print(`${label(from, out)}: ${problem === undefined ? count : `skipped: ${problem}`}`);
    for (const { name, why } of skipped) out.print(`  ${name}: left out: ${why}`);
  }
  if (sources.every(({ servers }) => servers.length === 0)) out.print('No servers found.');
}

/** Tells what was written and what is left to the user. */
export function reportChosen(chosen: readonly Candidate[], isNew: boolean, out: Out): void {
  out.print(isNew ? 'Wrote pml.json' : 'Added to pml.json');
  for (const { name, entry, notes } of chosen) {
    out.print(`  ${name}: ${summary(entry)}`);
    for (const note of notes) out.print(`    ${note}`);
  }
  const unset = [...new Set(chosen.flatMap(({ entry }) => neededBy(entry)))].filter((name) => !out.env[name]);
  if (unset.length > 0) out.print(`Not set here, and needed before PML can start: ${unset.join(', ')}`);
  if (chosen.some(({ entry }) => plainSecrets(entry).length > 0)) {
    out.print('pml.json now holds secrets in plain text: keep it out of version control.');
  }
}

function label({ client, file }: ClientFile, { homeDir }: Out): string {
  const short = file.startsWith(homeDir) ? `~${file.slice(homeDir.length)}` : file;
  return client === 'file' ? short : `${client} (${short})`;
}

/** What a server is, in a few words and without its arguments' secrets. */
export function summary({ command, args = [], url }: Entry): string {
  if (url !== undefined) return url.replace(/\/\/[^/@]*@/, '//').replace(/[?#][\s\S]*/, '');
  const words = args.filter((arg) => arg !== '-y');
  // Flags may be followed by anything, a token too.
  const flag = words.findIndex((word) => word.startsWith('-'));
  return [command, ...words.slice(0, flag < 0 ? 2 : Math.min(flag, 2))].join(' ');
}

/** The variables without which an entry cannot be expanded. */
function neededBy({ pml: _, ...entry }: Entry): string[] {
  // `$${` is no variable.
  return [...JSON.stringify(entry).matchAll(/\$\$\{|\$\{([A-Za-z_]\w*)\}/g)].flatMap(
    ({ 1: name }) => name ?? [],
  );
}
