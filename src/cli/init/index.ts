import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openTrust, readPower, trustFile } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import { composeConfig, readExisting } from './compose.ts';
import { type Entry, plainSecrets } from './convert.ts';
import { type Candidate, mergeServers } from './merge.ts';
import { type ClientFile, clientConfigPaths, type Place } from './paths.ts';
import { type ClientServers, readClientServers } from './read.ts';
import { reportChosen, reportFound, summary } from './report.ts';
import { writeConfig } from './write.ts';

export type Answer = 'yes' | 'no' | 'all' | 'none';

export interface InitOptions extends Place {
  /** Read this file instead of looking for those of the known clients. */
  from?: string;
  /** Take every server without asking. */
  yes: boolean;
  /** Whether there is a person to ask. */
  interactive: boolean;
  /** The first choice is the default. */
  ask(question: string, choices: readonly Answer[]): Promise<Answer>;
  print(line: string): void;
}

/** Writes pml.json in the working directory, with the servers of other MCP clients that the user wants. */
export async function init(options: InitOptions): Promise<void> {
  const file = path.join(options.cwd, 'pml.json');
  const existing = readIfThere(file);
  const there = existing === undefined ? {} : (readExisting(existing, 'pml.json').mcpServers ?? {});
  const sources = readSources(options);
  reportFound(sources, options);
  const merged = mergeServers(sources.flatMap((source) => source.servers));
  const known = merged.filter((each) => Object.hasOwn(there, each.name));
  if (known.length > 0) options.print(`Already in pml.json: ${known.map((each) => each.name).join(', ')}`);
  const chosen = await choose(
    merged.filter((each) => !known.includes(each)),
    options,
  );
  if (existing !== undefined && chosen.length === 0) {
    options.print('pml.json stays as it is.');
    return;
  }
  const servers: Record<string, Entry> = Object.fromEntries(chosen.map(({ name, entry }) => [name, entry]));
  const text = composeConfig(
    servers,
    schemaFor(options.cwd),
    existing === undefined ? undefined : { text: existing, label: 'pml.json' },
  );
  // A file that was there and is not trusted does not become so by getting more servers.
  const isOurs = existing === undefined || isTrusted(file, options);
  writeConfig(
    file,
    text,
    chosen.some(({ entry }) => plainSecrets(entry).length > 0),
  );
  reportChosen(chosen, existing === undefined, options);
  if (isOurs) trustFile(pmlHome(options), file);
  else options.print('pml.json was there and is not trusted yet: read it, then run `pml trust`.');
}

function isTrusted(file: string, options: InitOptions): boolean {
  const { fingerprint, lines } = readPower(file);
  return lines.length === 0 || openTrust(pmlHome(options)).fingerprintOf(file) === fingerprint;
}

function pmlHome({ env, homeDir, cwd }: InitOptions): string {
  return homeOf({ HOME: homeDir, USERPROFILE: homeDir, ...env }, cwd);
}

function readIfThere(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.trim() === '' ? undefined : text;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new PmlError('config_invalid', `pml.json: cannot be read (${code})`);
  }
}

function readSources(options: InitOptions): ClientServers[] {
  if (options.from === undefined) {
    return clientConfigPaths(options).flatMap((each) => readClientServers(each, options) ?? []);
  }
  const from: ClientFile = { client: 'file', file: path.resolve(options.cwd, options.from) };
  const source = readClientServers(from, options);
  if (!source) throw new PmlError('bad_request', `--from: no such file: ${from.file}`);
  // The one file that was asked for: to skip it would be to do nothing.
  if (source.problem) throw new PmlError('bad_request', `--from: ${from.file}: ${source.problem}`);
  return [source];
}

async function choose(candidates: Candidate[], options: InitOptions): Promise<Candidate[]> {
  if (options.yes || candidates.length === 0) return candidates;
  if (!options.interactive) {
    for (const candidate of candidates) options.print(`  ${candidate.name}: ${summary(candidate.entry)}`);
    throw new PmlError('bad_request', 'Nobody to ask which servers to take: pass --yes to take all of them.');
  }
  const chosen: Candidate[] = [];
  for (const [i, candidate] of candidates.entries()) {
    for (const note of candidate.notes) options.print(`  ${candidate.name}: ${note}`);
    const answer = await options.ask(`Add ${candidate.name} (${summary(candidate.entry)})?`, [
      'yes',
      'no',
      'all',
      'none',
    ]);
    if (answer === 'all') return [...chosen, ...candidates.slice(i)];
    if (answer === 'none') return chosen;
    if (answer === 'yes') chosen.push(candidate);
  }
  return chosen;
}

/** Where an editor finds the schema: beside PML, by a short path when PML is installed in this very project. */
function schemaFor(cwd: string): string {
  const schema = path.join(import.meta.dirname, '..', '..', '..', 'schema', 'pml.schema.json');
  const relative = path.relative(cwd, schema);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return pathToFileURL(schema).href;
  return `./${relative.replaceAll('\\', '/')}`;
}
