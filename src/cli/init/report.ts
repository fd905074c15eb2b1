import type { ClientFile, HostInfo } from './client-files.ts';
import { type Entry, plainSecrets } from './convert-entry.ts';
import type { Candidate } from './merge-servers.ts';
import type { ClientServers } from './read-client-servers.ts';

type Output = Pick<HostInfo, 'homeDir' | 'env'> & { print(line: string): void };

/** Prints which files were read and how many servers each has. */
export function reportFound(sources: readonly ClientServers[], out: Output): void {
  for (const { from, servers, skipped, problem } of sources) {
    const count = servers.length === 1 ? '1 server' : `${servers.length} servers`;
    out.print(`${label(from, out)}: ${problem === undefined ? count : `skipped: ${problem}`}`);
    for (const { name, why } of skipped) out.print(`  ${name}: left out: ${why}`);
  }
  if (sources.every(({ servers }) => servers.length === 0)) out.print('No servers found.');
}

/** Prints what was written, and what the user still has to do. */
export function reportChosen(chosen: readonly Candidate[], isNew: boolean, out: Output): void {
  out.print(isNew ? 'Wrote pml.json' : 'Added to pml.json');
  for (const { name, entry, notes } of chosen) {
    out.print(`  ${name}: ${summary(entry)}`);
    for (const note of notes) out.print(`    ${note}`);
  }
  const unset = [...new Set(chosen.flatMap(({ entry }) => variablesIn(entry)))].filter(
    (name) => !out.env[name],
  );
  if (unset.length > 0) out.print(`Not set here, and needed before PML can start: ${unset.join(', ')}`);
  if (chosen.some(({ entry }) => plainSecrets(entry).length > 0)) {
    out.print('pml.json now holds secrets in plain text: keep it out of version control.');
  }
}

function label({ client, file }: ClientFile, { homeDir }: Output): string {
  const short = file.startsWith(homeDir) ? `~${file.slice(homeDir.length)}` : file;
  return client === 'file' ? short : `${client} (${short})`;
}

/** Describes a server in a few words, without the secrets in its arguments. */
export function summary({ command, args = [], url }: Entry): string {
  if (url !== undefined) return url.replace(/\/\/[^/@]*@/, '//').replace(/[?#][\s\S]*/, '');
  const words = args.filter((arg) => arg !== '-y');
  // A flag may be followed by a token, so nothing from the first flag on is shown.
  const flag = words.findIndex((word) => word.startsWith('-'));
  return [command, ...words.slice(0, flag < 0 ? 2 : Math.min(flag, 2))].join(' ');
}

/** Lists the variables that an entry needs, those without a default. */
function variablesIn({ pml: _, ...entry }: Entry): string[] {
  // `$${` escapes a plain `${`.
  return [...JSON.stringify(entry).matchAll(/\$\$\{|\$\{([A-Za-z_]\w*)\}/g)].flatMap(
    ({ 1: name }) => name ?? [],
  );
}
