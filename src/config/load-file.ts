import { statSync } from 'node:fs';
import path from 'node:path';
import { homeOf, untilde, userHomeOf } from '../home.js';
import type { Env } from './expand.ts';
import { invalid, invalidFile, isFile, labelOf, readJson, readPermissions } from './files.ts';
import { powerOf } from './power.ts';
import { problemsOf } from './problems.ts';
import { type Build, buildServer, type ServerConfig } from './servers.ts';
import { type FileShape, fileShape } from './shape.ts';
import { realFolder, type Trust } from './trusted-configs.ts';

/** A file whose power nobody has trusted: it was read, but neither runs nor sends anything. */
export interface Untrusted {
  /** It was trusted before it was changed. */
  changed: boolean;
  /** What it would do. */
  lines: readonly string[];
}

export type FileSettings = Omit<FileShape, 'mcpServers' | '$schema'> & {
  servers: ServerConfig[];
  untrusted?: Untrusted;
};

export interface Found {
  file: string;
  /** Somebody said this very file, or keeps it with PML's own. Any other was only found on the way up. */
  chosen: boolean;
}

/** Where settings are read from: the file that is named, else the nearest upwards, else the home's. */
export function findFile(
  cwd: string,
  env: Env,
  named: string | undefined,
  source: string,
): Found | undefined {
  if (named !== undefined) {
    const file = path.resolve(cwd, untilde(named, userHomeOf(env)));
    if (!exists(file)) throw invalid(`${source}: no such file: ${file}`);
    return { file, chosen: true };
  }
  const home = path.join(homeOf(env, cwd), 'pml.json');
  const file = nearestFile(cwd);
  if (file !== undefined) return { file, chosen: realFolder(file) === realFolder(home) };
  return isFile(home) ? { file: home, chosen: true } : undefined;
}

/** The pml.json of this folder, or of the nearest above it that has one. */
export function nearestFile(cwd: string): string | undefined {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'pml.json');
    if (isFile(file)) return file;
    if (path.dirname(folder) === folder) return undefined;
  }
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

interface Around {
  cwd: string;
  env: Env;
  secrets: Set<string>;
  trust: Trust;
}

/** What a file settles. What it would run or send is judged by what was parsed, so that no later change gets past it. */
export function readSettings(found: Found | undefined, { cwd, env, secrets, trust }: Around): FileSettings {
  if (found === undefined) return { ...fileShape.parse({}), servers: [] };
  const [folder, label] = [realFolder(found.file), labelOf(found.file, cwd)];
  const raw = readJson(found.file, label);
  // The entries apart from the rest, so that one wrong entry hides nothing that is wrong in the others.
  const { entries, rest } = splitServers(raw);
  const parsed = fileShape.safeParse(rest);
  let permissions: ReturnType<typeof readPermissions> | undefined;
  // Once: what is judged is what is used.
  const readRouting = () => {
    permissions ??= readPermissions(path.dirname(found.file), cwd);
    return permissions;
  };
  const untrusted = found.chosen ? undefined : judge(found.file, trust, raw, readRouting);
  if (untrusted) {
    if (!parsed.success) throw invalidFile(problemsOf(parsed.error, rest), label);
    return powerless(parsed.data, untrusted);
  }
  const userHome = userHomeOf(env);
  const build: Build = { env, folder, userHome, permissions: readRouting(), problems: [], secrets };
  const servers = entries.flatMap(([name, entry]) => buildServer(name, entry, build) ?? []);
  if (!parsed.success) build.problems.push(...problemsOf(parsed.error, rest));
  if (!parsed.success || build.problems.length > 0) throw invalidFile(build.problems, label);
  return { ...parsed.data, servers };
}

function judge(
  file: string,
  trust: Trust,
  raw: unknown,
  readRouting: () => ReadonlyMap<string, string>,
): Untrusted | undefined {
  const { lines } = powerOf(raw, new Map());
  // A file that runs and sends nothing needs nobody's trust.
  if (lines.length === 0) return undefined;
  const trusted = trust.fingerprintOf(file);
  // Nothing else that lies beside a stranger's file is even read.
  if (trusted === undefined) return { changed: false, lines };
  return powerOf(raw, readRouting()).fingerprint === trusted ? undefined : { changed: true, lines };
}

/** The limits and the scope of a file, and nothing by which it could act. */
function powerless(
  { scope, expose, sandbox, names, lifecycle }: FileShape,
  untrusted: Untrusted,
): FileSettings {
  const { curation, agents } = fileShape.parse({});
  const powers = { servers: [], curation, agents, scope: { ...scope, admins: [] } };
  return { ...powers, expose, sandbox, names, lifecycle, untrusted };
}

function splitServers(raw: unknown): { entries: [string, unknown][]; rest: unknown } {
  if (typeof raw !== 'object' || raw === null || !('mcpServers' in raw)) return { entries: [], rest: raw };
  const { mcpServers } = raw;
  if (typeof mcpServers !== 'object' || mcpServers === null || Array.isArray(mcpServers))
    return { entries: [], rest: raw };
  // The names stay behind, each with an empty entry, to be checked as keys.
  const names = Object.fromEntries(Object.keys(mcpServers).map((name) => [name, {}]));
  return { entries: Object.entries(mcpServers), rest: { ...raw, mcpServers: names } };
}
