import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type Results } from '@electric-sql/pglite';
import { messageOf } from '../errors.ts';
import { ensureCluster } from './cluster.ts';
import type { Message, Request, WorkerSettings } from './pglite-protocol.ts';
import { sqlErrorFields } from './sql-error.ts';
import type { RawResult, Text } from './values.ts';

const port = parentPort;
if (port === null) throw new Error('pglite-worker.ts runs in a worker thread');
const tell = (message: Message) => port.postMessage(message);

const pglite = await open(workerData as WorkerSettings);
if (pglite) serve(pglite);

async function open({ folder, template }: WorkerSettings): Promise<PGlite | undefined> {
  try {
    await ensureCluster(folder, template, () => tell({ tell: 'slow' }));
    const opened = await PGlite.create({ dataDir: folder });
    const asIs = new Proxy({}, { get: () => (value: unknown) => value });
    Object.assign(opened, { parsers: asIs, serializers: asIs });
    return opened;
  } catch (error) {
    tell({ tell: 'unusable', reason: messageOf(error) });
    return undefined;
  }
}

function serve(database: PGlite): void {
  database.onNotification((channel, payload) => tell({ tell: 'notify', channel, payload }));
  let last = Promise.resolve();
  port?.on('message', (request: Request) => {
    last = last.then(() => answer(database, request));
  });
  tell({ tell: 'ready' });
}

async function answer(database: PGlite, request: Request): Promise<void> {
  try {
    const result = await perform(database, request);
    tell({ tell: 'answer', id: request.id, result });
  } catch (error) {
    tell({ tell: 'failure', id: request.id, error: sqlErrorFields(error as Error) });
  }
}

async function perform(database: PGlite, request: Request): Promise<RawResult | null> {
  switch (request.ask) {
    case 'run':
      return raw(await database.query<Text[]>(request.sql, request.params, { rowMode: 'array' }));
    case 'script':
      await database.exec(request.sql);
      return null;
    case 'close':
      await database.close();
      return null;
  }
}

function raw({ command, fields, rows, rowCount }: Results<Text[]>): RawResult {
  return { command: command ?? '', fields, rows, rowCount: rowCount ?? 0 };
}
