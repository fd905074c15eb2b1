import { join } from 'node:path';
import { loadSettings } from '../config/index.ts';
import { Embeddings } from '../discovery/index.ts';
import { Executor } from '../execute/index.ts';
import { PlainCalls } from '../learning/index.ts';
import { type Log, openLog } from '../log.ts';
import { Reaper } from '../reaper/index.ts';
import { Keys, NameCache, signOldHeads } from '../registry/index.ts';
import { Journal, OutputObserver, Recordings, RunDetails } from '../runs/index.ts';
import { openSandbox, type Sandbox } from '../sandbox/index.ts';
import { type Db, openDb } from '../store/index.ts';
import { UpstreamMemory } from '../upstream/index.ts';

export type Env = Record<string, string | undefined>;

/** The parts that all sessions of a daemon share. */
export interface Resources {
  log: Log;
  db: Db;
  keys: Keys;
  names: NameCache;
  journal: Journal;
  details: RunDetails;
  outputs: OutputObserver;
  memory: UpstreamMemory;
  sandbox: Sandbox;
  executor: Executor;
  plainCalls: PlainCalls;
  reaper: Reaper;
  embeddings: Embeddings;
}

export interface ResourcesOptions {
  env: Env;
  onProgress?: (message: string) => void;
  /** The database, if it is being opened already. */
  openingDb?: Promise<Db>;
  /** Also receives the log lines, for a daemon in the foreground. */
  print?: (line: string) => void;
}

/** The sandbox warms up this late, to leave the processor to the database, the servers and the first list. */
const SANDBOX_WARM_AFTER_MS = 1500;

/** Opens all resources. If one fails to open, the database is closed again. */
export async function openResources(options: ResourcesOptions): Promise<Resources> {
  const { onProgress, print, openingDb } = options;
  const { home, databaseUrl, logLevel, secrets } = await settingsOf(options);
  const log = openLog({ level: logLevel, file: join(home, 'log', 'pml.log'), ...(print && { print }) });
  log.hide(secrets);
  const db = await (openingDb ??
    openDb({ home, ...(databaseUrl && { databaseUrl }), ...(onProgress && { onProgress }) }));
  try {
    const keys = await Keys.open(home, db);
    const signed = await signOldHeads({ db, keys }, home);
    if (signed > 0) log.info(`signed the heads of ${signed} records of an earlier version`);
    const names = await NameCache.open(db);
    const journal = await Journal.open(db, join(home, 'journal.jsonl'), log);
    const memory = await UpstreamMemory.open(db, log, keys.derive('upstream memory'));
    const sandbox = openSandbox({ warmAfterMs: SANDBOX_WARM_AFTER_MS });
    const recordings = new Recordings(db, log);
    const details = new RunDetails(db, log);
    const outputs = new OutputObserver(db, log);
    const executor = new Executor({ db, keys, names, sandbox, journal, recordings, details, outputs, log });
    const plainCalls = new PlainCalls({ db, executor, log });
    const reaper = new Reaper(log);
    const embeddings = new Embeddings({ home, db, log });
    return {
      log,
      db,
      keys,
      names,
      journal,
      details,
      outputs,
      memory,
      sandbox,
      executor,
      plainCalls,
      reaper,
      embeddings,
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Loads the settings. If they are wrong, a database that is being opened is closed again. */
async function settingsOf({ env, openingDb }: ResourcesOptions) {
  try {
    return loadSettings(env);
  } catch (error) {
    await openingDb?.then(
      (db) => db.close(),
      () => {},
    );
    throw error;
  }
}

/** Stores what is buffered, and closes all resources. */
export async function closeResources({
  sandbox,
  executor,
  plainCalls,
  journal,
  details,
  outputs,
  db,
  reaper,
  embeddings,
}: Resources): Promise<void> {
  embeddings.close();
  await plainCalls.close();
  const ended = executor.close();
  await sandbox.close();
  await ended;
  await journal.close();
  await details.flush();
  await outputs.flush();
  await outputs.tools.flush();
  await db.close();
  reaper.close();
}
