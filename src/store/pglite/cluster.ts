import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../migrate.ts';
import { archiveFolder, extractArchive } from './archive.ts';
import { templateFile } from './template-file.ts';

/**
 * Makes the cluster if there is none: a copy of the template or, without one, from nothing, which takes seconds. It is
 * made beside its place and then renamed, so a start that dies half-way leaves nothing that a later one would open.
 */
export async function ensureCluster(folder: string, template: string, onSlow: () => void): Promise<void> {
  if (existsSync(folder)) {
    // PGlite would initialise such a folder, but not atomically.
    if (!existsSync(join(folder, 'PG_VERSION')))
      throw new Error('the folder is there, but holds no database');
    return;
  }
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  try {
    if (existsSync(template)) extractArchive(template, unfinished);
    else {
      onSlow();
      await createCluster(unfinished);
    }
    renameSync(unfinished, folder);
  } catch (error) {
    const full = isFull(dirname(folder));
    // Frees the space: the disk may be full, and others write to it.
    rmSync(unfinished, { recursive: true, force: true });
    throw full
      ? new Error('no space left on the disk; a new database takes about 50 MB', { cause: error })
      : error;
  }
}

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < 1024 * 1024;
}

export async function createCluster(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { mode: 0o700 });
  const pglite = await openCluster(folder);
  // No second database is ever made here, and without the two template databases a copy has a third of the files.
  await pglite.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await pglite.exec(`drop database ${name}`);
  await pglite.close();
}

/** Applies the migrations: in an engine that has just started they take two thirds of a first start (1.8 of 2.7 s of CPU). */
async function migrateCluster(folder: string): Promise<void> {
  const pglite = await openCluster(folder);
  await migrate({
    transaction: (body) =>
      pglite.transaction((tx) =>
        body({
          query: async <R>(sql: string, params?: unknown[]) => {
            const { rows } = await tx.query<R>(sql, params);
            return { rows, rowCount: rows.length };
          },
          script: async (sql) => {
            await tx.exec(sql);
          },
          notify: async () => {},
        }),
      ),
  });
  // The log of all this is not needed any more: it would be half of the template.
  await pglite.exec('set wal_recycle = off; select pg_switch_wal(); checkpoint');
  await pglite.close();
}

const SETTINGS = [
  // An eighth of PGlite's default: half the time to open and half the memory, and the system caches files anyway.
  'shared_buffers=16MB',
  // Limits the write-ahead log that is kept for reuse after a checkpoint.
  'min_wal_size=32MB',
  'max_wal_size=64MB',
  // A quarter of the usual sample: requests wait while statistics are gathered.
  'default_statistics_target=25',
];
const START_PARAMS = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])];

export function openCluster(folder: string, onStderrLine = (_line: string) => {}): Promise<PGlite> {
  const onStderr = (line: string) => {
    onStderrLine(line);
    return false;
  };
  return PGlite.create({ dataDir: folder, startParams: START_PARAMS, onStderr });
}

/** Makes the template for the installed PGlite, and removes all others; returns whether it was missing. */
export async function prepareTemplate(template = templateFile()): Promise<boolean> {
  const missing = !existsSync(template);
  if (missing) {
    await makeTemplate(template).catch((error) => {
      // Another process was faster, removed this one's unfinished work, and its template is as good.
      if (!existsSync(template)) throw error;
    });
  }
  for (const name of readdirSync(dirname(template))) {
    if (name.startsWith('pglite-') && name !== basename(template)) {
      rmSync(join(dirname(template), name), { recursive: true, force: true });
    }
  }
  return missing;
}

async function makeTemplate(template: string): Promise<void> {
  const cluster = `${template}.new-${process.pid}`;
  await createCluster(cluster);
  await migrateCluster(cluster);
  archiveFolder(cluster, `${cluster}.zst`);
  renameSync(`${cluster}.zst`, template);
}
