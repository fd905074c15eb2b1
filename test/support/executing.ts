import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { type Db, openDb } from '../../src/store/index.ts';
import {
  connectPeer,
  type Kind,
  type Loose,
  type Peer,
  type PeerOptions,
  type RequestOptions,
  type Way,
} from './clients.ts';
import { statusOf } from './daemon.ts';
import { Pml } from './pml.ts';
import { freshDatabase } from './postgres.ts';
import { upReady } from './ready.ts';

export const CHANGED = 'notifications/tools/list_changed';

/** What `pml_execute` answers to this. The text must say what the structure says. */
export async function answerOf(peer: Peer, input: object, options?: RequestOptions): Promise<Loose> {
  const { structuredContent, content, isError } = await peer.call(
    'pml_execute',
    { intent: 'try it out', ...input },
    options,
  );
  assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  assert.equal(isError === true, structuredContent.status === 'error');
  return structuredContent;
}

/** The answer to what must succeed. */
export async function execute(peer: Peer, input: object, options?: RequestOptions): Promise<Loose> {
  const answer = await answerOf(peer, input, options);
  assert.equal(answer.status, 'success', JSON.stringify(answer));
  return answer;
}

/** The error of what must fail. */
export async function failing(
  peer: Peer,
  input: object,
  options?: RequestOptions,
): Promise<{ code: string; message: string; hint?: string }> {
  const answer = await answerOf(peer, input, options);
  assert.equal(answer.status, 'error', JSON.stringify(answer));
  return answer.error;
}

/** One PML with HTTP for a whole file, and its clients. */
export class Bench {
  readonly pml: Pml;
  url = '';
  #db: Promise<Db> | undefined;

  constructor(config: object, env: Record<string, string> = {}) {
    this.pml = new Pml({ after }, config, env);
  }

  async start(): Promise<void> {
    this.url = await upReady(this.pml);
  }

  peer(kind: Kind = 'SDK v2 legacy', way: Way = 'HTTP', options: PeerOptions = {}): Promise<Peer> {
    return connectPeer(this.pml, kind, way, this.url, options);
  }

  /** All rows that a query finds. On PGlite this ends the daemon, so it is the last thing that a test does. */
  async rows<Row = Loose>(sql: string, params: unknown[] = []): Promise<Row[]> {
    this.#db ??= this.#open();
    const db = await this.#db;
    // A daemon stores its journal before it says how it is.
    if (db.engine === 'postgres') await statusOf(this.pml);
    return (await db.query<Row>(sql, params)).rows;
  }

  async #open(): Promise<Db> {
    const { PML_DATABASE_URL: databaseUrl } = this.pml.env;
    if (!databaseUrl) await this.pml.run(['down']);
    const db = await openDb({ home: this.pml.home, ...(databaseUrl && { databaseUrl }) });
    this.pml.onClose(() => db.close());
    return db;
  }
}

/** Declares tests for a PML that lasts as long as the file. */
export function benchOf(config: object, env: Record<string, string> = {}): Bench {
  const bench = new Bench(config, env);
  before(() => bench.start());
  return bench;
}

/** Declares the same tests for a PML on PGlite and one on PostgreSQL. */
export function onEachStore(config: object, suite: (bench: Bench) => void): void {
  for (const engine of ['PGlite', 'PostgreSQL']) {
    describe(engine, () => {
      const bench = new Bench(config);
      before(async () => {
        if (engine === 'PostgreSQL') bench.pml.env.PML_DATABASE_URL = await freshDatabase();
        await bench.start();
      });
      suite(bench);
    });
  }
}
