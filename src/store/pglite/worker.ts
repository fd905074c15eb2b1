import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { messageOf } from '../../errors.ts';
import { sqlErrorFields } from '../sql-error.ts';
import type { RawResult, Text } from '../values.ts';
import { Analyzer } from './analyze.ts';
import { ensureCluster, openCluster } from './cluster.ts';
import { PgliteStatements } from './statements.ts';
import type { Answer, Message, Request, WorkerSettings } from './worker-protocol.ts';

const CHECKPOINT_EVERY_BYTES = 32 * 1024 * 1024;
const REQUESTS_BETWEEN_LOOKS = 25;
const PATIENCE_MS = 1;

const port = parentPort;
if (port === null) throw new Error('pglite-worker.ts runs in a worker thread');
const tell = (message: Message) => port.postMessage(message);

const pglite = await open(workerData as WorkerSettings);
const statements = new PgliteStatements(pglite);
pglite.onNotification((channel, payload) => tell({ tell: 'notify', channel, payload }));
let last: Promise<unknown> = Promise.resolve();
const analyzer = new Analyzer({
  run: (sql) => {
    const turn = last.then(() => {
      // It would be part of that, and could make it fail.
      if (pglite.isInTransaction()) throw new Error('A transaction is open');
      return statements.run(sql, [], false);
    });
    last = turn.catch(() => {});
    return turn;
  },
});
port.on('message', (requests: Request[]) => {
  last = last.then(() => answerAll(requests));
});
tell({ tell: 'ready' });

async function open({ folder, template }: WorkerSettings): Promise<PGlite> {
  let complaint: string | undefined;
  try {
    await ensureCluster(folder, template, () => tell({ tell: 'slow' }));
    return await openCluster(folder, (line) => {
      complaint ??= /(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1];
    });
  } catch (error) {
    tell({ tell: 'unusable', reason: complaint ?? messageOf(error) });
    process.exit(1);
  }
}

/** What was asked together is answered together, unless the first would have to wait long for the last. */
async function answerAll(requests: readonly Request[]): Promise<void> {
  let answers: Answer[] = [];
  let since = performance.now();
  const send = () => {
    if (answers.length > 0) tell({ tell: 'answers', answers });
    answers = [];
    since = performance.now();
  };
  for (const request of requests) {
    const answer = await answerTo(request);
    answers.push(answer);
    const isFatal = 'error' in answer && answer.error.severity !== 'ERROR';
    if (isFatal || performance.now() - since > PATIENCE_MS) send();
    // After a panic or an abort PGlite answers the next statement by spinning for ever.
    if (isFatal) process.exit(1);
  }
  send();
  await checkpointWhenDue(requests.length);
}

async function answerTo(request: Request): Promise<Answer> {
  try {
    return { id: request.id, result: await perform(request) };
  } catch (thrown) {
    return { id: request.id, error: sqlErrorFields(thrown as Error) };
  }
}

async function perform(request: Request): Promise<RawResult | null> {
  switch (request.ask) {
    case 'run':
      return noted(await statements.run(request.sql, request.params, request.prepare));
    case 'script':
      await pglite.exec(request.sql);
      return null;
    case 'close':
      await pglite.close();
      return null;
  }
}

function noted(result: RawResult): RawResult {
  analyzer.note(result);
  return result;
}

let sinceLook = 0;
let lastCheckpoint: Text = null;

/** Alone in its process PostgreSQL never makes a checkpoint, and its log would grow until it is closed. */
async function checkpointWhenDue(requests: number): Promise<void> {
  sinceLook += requests;
  if (sinceLook < REQUESTS_BETWEEN_LOOKS) return;
  sinceLook = 0;
  try {
    const looked = await statements.run(
      'select lsn, pg_wal_lsn_diff(lsn, $1) > $2 from (select pg_current_wal_insert_lsn() as lsn)',
      [lastCheckpoint, String(CHECKPOINT_EVERY_BYTES)],
      true,
    );
    const [lsn = null, due] = looked.rows[0] ?? [];
    if (due === 't') await pglite.exec('checkpoint');
    if (due !== 'f') lastCheckpoint = lsn;
  } catch {
    // A transaction that failed refuses every statement until it ends; the next look comes soon.
  }
}
