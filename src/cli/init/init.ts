import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openTrustStore, readEffects, trustFile } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import { packageFile } from '../../package-files.js';
import { chooseServers } from './choose-servers.ts';
import { type ClientFile, clientFiles, type HostInfo } from './client-files.ts';
import { composeConfig, readExisting } from './compose-config.ts';
import type { Entry } from './convert-entry.ts';
import { type FinishOptions, finish } from './finish.ts';
import { type Candidate, mergeServers } from './merge-servers.ts';
import { moveSecrets } from './move-secrets.ts';
import { offerSettings } from './offer-settings.ts';
import type { Prompts } from './prompts.ts';
import { type ClientServers, readClientServers } from './read-client-servers.ts';
import { reportChosen, reportFound, reportNothing } from './report.ts';
import { writeWhole } from './write-config.ts';

export interface InitOptions extends HostInfo, FinishOptions {
  /** Read this file instead of looking for those of the known clients. */
  from?: string;
  /** Take every server that no client has switched off, without asking. */
  yes: boolean;
  /** A person is there to ask. */
  interactive: boolean;
  prompts: Prompts;
  print(line: string): void;
}

/** Writes a pml.json with the servers of other MCP clients that the user chooses, then connects these clients and starts PML. */
export async function init(options: InitOptions): Promise<void> {
  const home = pmlHome(options);
  const file = path.join(options.isGlobal ? home : options.cwd, 'pml.json');
  const existing = readIfPresent(file);
  const config = existing === undefined ? {} : readExisting(existing, file);
  const known = config.mcpServers ?? {};
  const sources = readSources(options);
  reportFound(sources, options);
  const merged = mergeServers(sources.flatMap((source) => source.servers));
  if (merged.length === 0 && existing === undefined) return reportNothing(options);
  const present = merged.filter((each) => Object.hasOwn(known, each.name));
  if (present.length > 0)
    options.print(`Already in pml.json: ${present.map((each) => each.name).join(', ')}`);
  const offered = merged.filter((each) => !present.includes(each));
  const chosen = await chooseServers(offered, options);
  if (chosen.length === 0 && existing === undefined)
    return options.print('Nothing was chosen, so nothing was written.');
  if (chosen.length === 0) options.print('pml.json stays as it is.');
  else await write(chosen, { file, existing, envFile: config.envFile }, options);
  await finish(
    sources.map(({ from }) => from),
    { file, home },
    options,
  );
}

interface Target {
  file: string;
  /** The text of the file; undefined if it is new. */
  existing: string | undefined;
  envFile: unknown;
}

/** Writes the chosen servers, and their secrets to a file of their own. Nothing is asked between the two writes. */
async function write(chosen: Candidate[], target: Target, options: InitOptions): Promise<void> {
  const { file, existing } = target;
  const given: Record<string, Entry> = Object.fromEntries(chosen.map(({ name, entry }) => [name, entry]));
  const envName = typeof target.envFile === 'string' ? target.envFile : 'pml.env';
  const envFile = path.resolve(path.dirname(file), envName);
  const { servers, envText, names } = moveSecrets(given, readIfPresent(envFile) ?? '', options.env);
  const settings = existing === undefined ? await offerSettings(chosen.length, options) : {};
  const text = composeConfig(
    servers,
    schemaFor(path.dirname(file)),
    existing === undefined ? undefined : { text: existing, label: file },
    { ...(envText !== undefined && { envFile: envName }), ...settings },
  );
  // Adding servers must not make an untrusted file trusted.
  const isOurs = existing === undefined || isTrusted(file, options);
  if (envText !== undefined) writeWhole(envFile, envText, true);
  writeWhole(file, text, false);
  const moved = chosen.map((one) => ({ ...one, entry: servers[one.name] ?? one.entry }));
  reportChosen(moved, { isNew: existing === undefined, file, envFile, names }, options);
  if (isOurs) trustFile(pmlHome(options), file);
  else options.print('pml.json was there and is not trusted yet: read it, then run `pml trust`.');
}

function isTrusted(file: string, options: InitOptions): boolean {
  const { fingerprint, lines } = readEffects(file);
  return lines.length === 0 || openTrustStore(pmlHome(options)).fingerprintOf(file) === fingerprint;
}

export function pmlHome({ env, homeDir, cwd }: HostInfo): string {
  return homeOf({ HOME: homeDir, USERPROFILE: homeDir, ...env }, cwd);
}

function readIfPresent(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.trim() === '' ? undefined : text;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new PmlError('config_invalid', `${file} cannot be read (${code}).`);
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

/** Returns where editors find the schema: a relative path if PML is installed in this project, else a file URL. */
export function schemaFor(folder: string): string {
  const schema = fileURLToPath(packageFile('schema/pml.schema.json'));
  const relative = path.relative(folder, schema);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return pathToFileURL(schema).href;
  return `./${relative.replaceAll('\\', '/')}`;
}
