import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite, Results } from '@electric-sql/pglite';
import { messageOf } from '../errors.ts';
import { ensureCluster, openCluster } from './cluster.ts';
import type { Message, Request, WorkerSettings } from './pglite-protocol.ts';
import { sqlErrorFields } from './sql-error.ts';
import type { RawResult, Text } from './values.ts';

const CHECKPOINT_EVERY_BYTES = 32 * 1024 * 1024;
const REQUESTS_BETWEEN_LOOKS = 25;

const port = parentPort;
if (port === null) throw new Error('pglite-worker.ts runs in a worker thread');
const tell = (message: Message) => port.postMessage(message);

const pglite = await open(workerData as WorkerSettings);
pglite.onNotification((channel, payload) => tell({ tell: 'notify', channel, payload }));
let last = Promise.resolve();
port.on('message', (request: Request) => {
  last = last.then(() => answer(request)).then(checkpointWhenDue);
});
tell({ tell: 'ready' });

async function open({ folder, template }: WorkerSettings): Promise<PGlite> {
  let complaint: string | undefined;
  try {
    await ensureCluster(folder, template, () => tell({ tell: 'slow' }));
    const opened = await openCluster(folder, (line) => {
      complaint ??= /(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1];
    });
    const asIs = new Proxy({}, { get: () => (value: unknown) => value });
    return Object.assign(opened, { parsers: asIs, serializers: asIs });
  } catch (error) {
    tell({ tell: 'unusable', reason: complaint ?? messageOf(error) });
    process.exit(1);
  }
}

async function answer(request: Request): Promise<void> {
  try {
    const result = await perform(request);
    tell({ tell: 'answer', id: request.id, result });
  } catch (thrown) {
    const error = sqlErrorFields(thrown as Error);
    tell({ tell: 'failure', id: request.id, error });
    // After a panic or an abort PGlite answers the next statement by spinning for ever.
    if (error.severity !== 'ERROR') process.exit(1);
  }
}

async function perform(request: Request): Promise<RawResult | null> {
  switch (request.ask) {
    case 'run':
      return raw(await pglite.query<Text[]>(request.sql, request.params, { rowMode: 'array' }));
    case 'script':
      await pglite.exec(request.sql);
      return null;
    case 'close':
      await pglite.close();
      return null;
  }
}

function raw({ command, fields, rows, rowCount }: Results<Text[]>): RawResult {
  return { command: command ?? '', fields, rows, rowCount: rowCount ?? 0 };
}

let requests = 0;
let lastCheckpoint: Text = null;

/** Alone in its process PostgreSQL never makes a checkpoint, and its log would grow until it is closed. */
async function checkpointWhenDue(): Promise<void> {
  requests += 1;
  if (requests % REQUESTS_BETWEEN_LOOKS !== 0) return;
  try {
    const looked = await pglite.query<Text[]>(
      'select lsn, pg_wal_lsn_diff(lsn, $1) > $2 from (select pg_current_wal_insert_lsn() as lsn)',
      [lastCheckpoint, String(CHECKPOINT_EVERY_BYTES)],
      { rowMode: 'array' },
    );
    const [lsn = null, due] = looked.rows[0] ?? [];
    if (due === 't') await pglite.exec('checkpoint');
    if (due !== 'f') lastCheckpoint = lsn;
  } catch {
    // A transaction that failed refuses every statement until it ends; the next look comes soon.
  }
}
