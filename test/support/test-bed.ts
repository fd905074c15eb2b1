import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import { type Db, openDb } from '../../src/store/index.ts';
import { engines } from '../../src/testing/effort.ts';
import {
  connectPeer,
  type Kind,
  type Loose,
  type Peer,
  type PeerOptions,
  type RequestOptions,
  type TransportName,
} from './clients.ts';
import { statusOf } from './daemon.ts';
import { Pml } from './pml.ts';
import { upReady } from './servers-ready.ts';

export const CHANGED = 'notifications/tools/list_changed';

/** Calls `pml_execute` and returns its structured answer. The text must say the same. */
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

/** Calls `pml_execute`, which must succeed. */
export async function execute(peer: Peer, input: object, options?: RequestOptions): Promise<Loose> {
  const answer = await answerOf(peer, input, options);
  assert.equal(answer.status, 'success', JSON.stringify(answer));
  return answer;
}

/** Calls `pml_execute`, which must fail, and returns the error. */
export async function failing(
  peer: Peer,
  input: object,
  options?: RequestOptions,
): Promise<{ code: string; message: string; hint?: string }> {
  const answer = await answerOf(peer, input, options);
  assert.equal(answer.status, 'error', JSON.stringify(answer));
  return answer.error;
}

/** One PML with HTTP for a whole test file or suite, started at its first use. */
export class TestBed {
  readonly pml: Pml;
  readonly config: object;
  readonly onPostgres: boolean;
  #url: Promise<string> | undefined;
  #db: Promise<Db> | undefined;

  constructor(config: object, { onPostgres = engines()[0] === 'PostgreSQL' } = {}) {
    this.config = config;
    this.pml = new Pml({ after }, config);
    this.onPostgres = onPostgres;
  }

  /** Returns the address, once all servers are connected. */
  url(): Promise<string> {
    this.#url ??= upReady(this.pml, this.onPostgres);
    return this.#url;
  }

  async peer(
    kind: Kind = 'SDK v2 legacy',
    transport: TransportName = 'HTTP',
    options: PeerOptions = {},
  ): Promise<Peer> {
    return connectPeer(this.pml, kind, transport, await this.url(), options);
  }

  /** Returns all rows of a query. On PGlite this stops the daemon, so no test that needs it may follow. */
  async rows<Row = Loose>(sql: string, params: unknown[] = []): Promise<Row[]> {
    this.#db ??= this.#open();
    const db = await this.#db;
    // A daemon stores its journal before it reports its status.
    if (this.onPostgres) await statusOf(this.pml);
    return (await db.query<Row>(sql, params)).rows;
  }

  async #open(): Promise<Db> {
    if (!this.onPostgres) await this.pml.run(['down']);
    const databaseUrl = this.pml.env.PML_DATABASE_URL;
    const db = await openDb({ home: this.pml.home, ...(databaseUrl && { databaseUrl }) });
    this.pml.onClose(() => db.close());
    return db;
  }
}

/** Declares the same tests for a PML on each of the `engines`. */
export function onEachStore(config: object, suite: (bed: TestBed) => void): void {
  for (const engine of engines())
    describe(`on ${engine}`, () => suite(new TestBed(config, { onPostgres: engine === 'PostgreSQL' })));
}
