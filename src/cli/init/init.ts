import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openTrustStore, readEffects, trustFile } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import { packageFile } from '../../package-files.js';
import { type ClientFile, clientFiles, type HostInfo } from './client-files.ts';
import { composeConfig, readExisting } from './compose-config.ts';
import { type Entry, plainSecrets } from './convert-entry.ts';
import { type Candidate, mergeServers } from './merge-servers.ts';
import { offerSettings } from './offer-settings.ts';
import { type ClientServers, readClientServers } from './read-client-servers.ts';
import { reportChosen, reportFound, summary } from './report.ts';
import { writeConfig } from './write-config.ts';

export type Answer = 'yes' | 'no' | 'all' | 'none';

export interface InitOptions extends HostInfo {
  /** Read this file instead of looking for those of the known clients. */
  from?: string;
  /** Take every server without asking. */
  yes: boolean;
  /** A person is there to ask. */
  interactive: boolean;
  /** The first choice is the default. */
  ask(question: string, choices: readonly Answer[]): Promise<Answer>;
  print(line: string): void;
}

/** Writes pml.json in the working directory, with the servers of other MCP clients that the user chooses. */
export async function init(options: InitOptions): Promise<void> {
  const file = path.join(options.cwd, 'pml.json');
  const existing = readIfPresent(file);
  const known = existing === undefined ? {} : (readExisting(existing, 'pml.json').mcpServers ?? {});
  const sources = readSources(options);
  reportFound(sources, options);
  const merged = mergeServers(sources.flatMap((source) => source.servers));
  const present = merged.filter((each) => Object.hasOwn(known, each.name));
  if (present.length > 0)
    options.print(`Already in pml.json: ${present.map((each) => each.name).join(', ')}`);
  const chosen = await choose(
    merged.filter((each) => !present.includes(each)),
    options,
  );
  if (existing !== undefined && chosen.length === 0) {
    options.print('pml.json stays as it is.');
    return;
  }
  const servers: Record<string, Entry> = Object.fromEntries(chosen.map(({ name, entry }) => [name, entry]));
  const settings = existing === undefined ? await offerSettings(chosen.length, options) : {};
  const text = composeConfig(
    servers,
    schemaFor(options.cwd),
    existing === undefined ? undefined : { text: existing, label: 'pml.json' },
    settings,
  );
  // Adding servers must not make an untrusted file trusted.
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
  const { fingerprint, lines } = readEffects(file);
  return lines.length === 0 || openTrustStore(pmlHome(options)).fingerprintOf(file) === fingerprint;
}

function pmlHome({ env, homeDir, cwd }: InitOptions): string {
  return homeOf({ HOME: homeDir, USERPROFILE: homeDir, ...env }, cwd);
}

function readIfPresent(file: string): string | undefined {
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
    return clientFiles(options).flatMap((each) => readClientServers(each, options) ?? []);
  }
  const from: ClientFile = { client: 'file', file: path.resolve(options.cwd, options.from) };
  const source = readClientServers(from, options);
  if (!source) throw new PmlError('bad_request', `--from: no such file: ${from.file}`);
  // This is the only file asked for, so it cannot be skipped.
  if (source.problem) throw new PmlError('bad_request', `--from: ${from.file}: ${source.problem}`);
  return [source];
}

async function choose(candidates: Candidate[], options: InitOptions): Promise<Candidate[]> {
  if (options.yes || candidates.length === 0) return candidates;
  if (!options.interactive) {
    for (const candidate of candidates) options.print(`  ${candidate.name}: ${summary(candidate.entry)}`);
    throw new PmlError(
      'bad_request',
      'PML cannot ask which servers to take here: pass --yes to take all of them.',
    );
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

/** Returns where editors find the schema: a relative path if PML is installed in this project, else a file URL. */
function schemaFor(cwd: string): string {
  const schema = fileURLToPath(packageFile('schema/pml.schema.json'));
  const relative = path.relative(cwd, schema);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return pathToFileURL(schema).href;
  return `./${relative.replaceAll('\\', '/')}`;
}
