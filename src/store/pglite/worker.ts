import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { messageOf } from '../../errors.ts';
import { sqlErrorFields } from '../sql-error.ts';
import type { RawResult, SqlText } from '../value-conversion.ts';
import { Analyzer } from './analyzer.ts';
import { ensureCluster, openCluster } from './cluster.ts';
import { PgliteStatements } from './statements.ts';
import type { Answer, Message, Request, WorkerSettings } from './worker-protocol.ts';

const CHECKPOINT_EVERY_BYTES = 32 * 1024 * 1024;
const REQUESTS_BETWEEN_CHECKS = 25;
/** An answer waits at most this long for the rest of its batch. */
const MAX_BATCH_MS = 1;

const port = parentPort;
if (port === null) throw new Error('pglite/worker.ts runs in a worker thread');
const post = (message: Message) => port.postMessage(message);

const pglite = await open(workerData as WorkerSettings);
const statements = new PgliteStatements(pglite);
pglite.onNotification((channel, payload) => post({ kind: 'notify', channel, payload }));
let lastWork: Promise<unknown> = Promise.resolve();
const analyzer = new Analyzer({
  run: (sql) => {
    const work = lastWork.then(() => {
      // The statement would become part of the transaction, and could make it fail.
      if (pglite.isInTransaction()) throw new Error('A transaction is open');
      return statements.run(sql, [], false);
    });
    lastWork = work.catch(() => {});
    return work;
  },
});
port.on('message', (requests: Request[]) => {
  lastWork = lastWork.then(() => answerAll(requests));
});
post({ kind: 'ready' });

async function open({ folder, template }: WorkerSettings): Promise<PGlite> {
  let complaint: string | undefined;
  try {
    await ensureCluster(folder, template, () => post({ kind: 'slow' }));
    return await openCluster(folder, (line) => {
      complaint ??= /(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1];
    });
  } catch (error) {
    post({ kind: 'unusable', reason: complaint ?? messageOf(error) });
    process.exit(1);
  }
}

/** Answers a batch of requests together, unless the first answer would have to wait long for the last. */
async function answerAll(requests: readonly Request[]): Promise<void> {
  let answers: Answer[] = [];
  let since = performance.now();
  const send = () => {
    if (answers.length > 0) post({ kind: 'answers', answers });
    answers = [];
    since = performance.now();
  };
  for (const request of requests) {
    const answer = await answerTo(request);
    answers.push(answer);
    const isFatal = 'error' in answer && answer.error.severity !== 'ERROR';
    if (isFatal || performance.now() - since > MAX_BATCH_MS) send();
    // After a panic or an abort, the next statement would make PGlite spin for ever.
    if (isFatal) process.exit(1);
    if (analyzer.isOverdue && !pglite.isInTransaction()) {
      send();
      await analyzer.usePause((sql) => statements.run(sql, [], false));
    }
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
  switch (request.kind) {
    case 'run':
      return counted(await statements.run(request.sql, request.params, request.prepare));
    case 'script':
      await pglite.exec(request.sql);
      return null;
    case 'close':
      await pglite.close();
      return null;
  }
}

function counted(result: RawResult): RawResult {
  analyzer.note(result);
  return result;
}

let sinceCheck = 0;
let lastCheckpoint: SqlText = null;

/** Makes checkpoints: in single-process mode PostgreSQL never does, and its log would grow until it is closed. */
async function checkpointWhenDue(requests: number): Promise<void> {
  sinceCheck += requests;
  if (sinceCheck < REQUESTS_BETWEEN_CHECKS) return;
  sinceCheck = 0;
  try {
    const checked = await statements.run(
      'select lsn, pg_wal_lsn_diff(lsn, $1) > $2 from (select pg_current_wal_insert_lsn() as lsn)',
      [lastCheckpoint, String(CHECKPOINT_EVERY_BYTES)],
      true,
    );
    const [lsn = null, due] = checked.rows[0] ?? [];
    if (due === 't') await pglite.exec('checkpoint');
    if (due !== 'f') lastCheckpoint = lsn;
  } catch {
    // A failed transaction refuses every statement until it ends; the next check comes soon.
  }
}
