import { secretUrlParts } from '../../secrets/index.ts';
import type { ClientFile, HostInfo } from './client-files.ts';
import type { Entry } from './convert-entry.ts';
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
}

/** Says what to do where no client has a server. */
export function reportNothing(out: Output): void {
  out.print(
    'No MCP servers found in the configs of Claude Code, Claude Desktop, Cursor, VS Code, Windsurf and Zed. Instead:',
  );
  out.print(
    '  pml add filesystem -- npx -y @modelcontextprotocol/server-filesystem .   add a server by hand',
  );
  out.print('  pml add docs https://example.com/mcp                                     or a remote one');
  out.print(
    '  pml init --from FILE                                                     or read another config',
  );
  out.print('Nothing was written.');
}

interface Written {
  isNew: boolean;
  file: string;
  envFile: string;
  /** The variables in the env file that hold secrets. */
  names: readonly string[];
}

/** Prints what was written, and what the user still has to do. */
export function reportChosen(chosen: readonly Candidate[], written: Written, out: Output): void {
  const { isNew, file, envFile, names } = written;
  out.print(`${isNew ? 'Wrote' : 'Added to'} ${shortened(file, out)}`);
  for (const { name, entry, notes } of chosen) {
    out.print(`  ${name}: ${summary(entry)}`);
    for (const note of notes) out.print(`    ${note}`);
  }
  if (names.length > 0) {
    out.print(`Moved secrets to ${shortened(envFile, out)}, which only you can read: ${names.join(', ')}`);
    out.print(`Keep ${envFile.split(/[/\\]/).at(-1)} out of version control.`);
  }
  const needed = new Set(chosen.flatMap(({ entry }) => variablesIn(entry)));
  const unset = [...needed].filter((name) => !out.env[name] && !names.includes(name));
  if (unset.length > 0)
    out.print(`Not set here, and needed by the servers that name them: ${unset.join(', ')}`);
}

function label({ client, file }: ClientFile, { homeDir }: Output): string {
  const short = shortened(file, { homeDir });
  return client === 'file' ? short : `${client} (${short})`;
}

function shortened(file: string, { homeDir }: Pick<Output, 'homeDir'>): string {
  return file.startsWith(homeDir) ? `~${file.slice(homeDir.length)}` : file;
}

/** Describes a server in a few words, without the secrets in its arguments. */
export function summary({ command, args = [], url }: Entry): string {
  if (url !== undefined) {
    const shown = url.replace(/\/\/[^/@]*@/, '//').replace(/[?#][\s\S]*/, '');
    return secretUrlParts(url).reduce((text, part) => text.replaceAll(part, '…'), shown);
  }
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
