import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { MAX_JSON } from '../stored-texts.ts';
import { type Catalog, NO_CATALOG } from './catalog.ts';
import type { Era } from './connect.ts';
import type { ServerDefinition } from './server-definition.ts';

/** The lists and the protocol era of a server when it was last seen. */
export interface ServerMemory {
  era: Era;
  catalog: Catalog;
}

/** After this time a server is probed again, since it may have learnt the newer era. */
const MAX_AGE_DAYS = 7;
const MAX_REMEMBERED = 500;
/** How many items are redacted in one turn of the event loop. */
const ITEMS_PER_TURN = 200;

/** The scope whose view of a server is remembered. */
export interface MemoryScope {
  readonly org: string;
  readonly project: string;
}

/**
 * Remembers what each server offered when it was last seen, so that the next start can list it before it is up, and
 * knows its era. A server may offer each caller something else, so a memory is only for callers from the same scope with
 * the same credentials.
 */
export class UpstreamMemory {
  readonly #db: Db;
  readonly #log: Log;
  readonly #secret: Buffer;
  readonly #instance: string;
  readonly #known = new Map<string, ServerMemory>();
  /** Writes happen one after the other, so that the latest one stays. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(db: Db, log: Log, secret: Buffer) {
    this.#db = db;
    this.#log = log;
    this.#secret = secret;
    this.#instance = this.#digest('instance').slice(0, 16);
  }

  /** The secret is this instance's own: without it nobody can test guesses of the credentials against the keys. */
  static async open(db: Db, log: Log, secret: Buffer): Promise<UpstreamMemory> {
    const memory = new UpstreamMemory(db, log, secret);
    // Keys without an instance come from an older version, and do not depend on the credentials.
    await db.query(
      `delete from upstream_memory where seen_at < now() - make_interval(days => $1) or strpos(key, ':') = 0`,
      [MAX_AGE_DAYS],
    );
    const { rows } = await db.query<ServerMemory & { key: string }>(
      `select key, era, catalog from upstream_memory where starts_with(key, $1) order by seen_at desc limit $2`,
      [`${memory.#instance}:`, MAX_REMEMBERED],
    );
    for (const { key, era, catalog } of rows.reverse()) memory.#known.set(key, { era, catalog });
    return memory;
  }

  recall(scope: MemoryScope, server: ServerDefinition): ServerMemory | undefined {
    return this.#known.get(this.#keyOf(scope, server));
  }

  remember(scope: MemoryScope, server: ServerDefinition, seen: ServerMemory, redactor: Redactor): void {
    const key = this.#keyOf(scope, server);
    const memory = bounded(seen);
    // Moved to the end: the one that was seen longest ago comes first.
    this.#known.delete(key);
    this.#known.set(key, memory);
    if (this.#known.size > MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
    this.#writing = this.#writing
      .then(() => this.#write(key, memory, redactor))
      .catch((error) => this.#log.debug(`cannot remember server ${server.name}: ${messageOf(error)}`));
  }

  async #write(key: string, { era, catalog }: ServerMemory, redactor: Redactor): Promise<void> {
    const redacted = await redactCatalog(catalog, redactor);
    await this.#db.query(
      `insert into upstream_memory (key, era, catalog, seen_at) values ($1, $2, $3::jsonb, now())
       on conflict (key) do update set era = excluded.era, catalog = excluded.catalog, seen_at = excluded.seen_at`,
      [key, era, JSON.stringify(redacted)],
    );
  }

  /** The key covers all that decides what a server offers: its address, the scope and the credentials. */
  #keyOf({ org, project }: MemoryScope, { transport }: ServerDefinition): string {
    return `${this.#instance}:${this.#digest(JSON.stringify([org, project, addressOf(transport)]))}`;
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('hex');
  }
}

function addressOf(transport: ServerDefinition['transport']): unknown[] {
  if (transport.kind === 'in-process') return [transport.kind, transport.id];
  return transport.kind === 'stdio'
    ? [transport.kind, transport.command, transport.args, transport.cwd, sorted(transport.env)]
    : [transport.kind, transport.url, sorted(transport.headers)];
}

/** Hides the secrets that a server may quote in its descriptions. */
async function redactCatalog(catalog: Catalog, redactor: Redactor): Promise<Catalog> {
  const redacted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(catalog)) {
    if (!Array.isArray(value)) redacted[key] = redactor.schema(value);
    else redacted[key] = await redactItems(value, redactor);
  }
  return redacted as unknown as Catalog;
}

async function redactItems(items: readonly unknown[], redactor: Redactor): Promise<unknown[]> {
  const redacted: unknown[] = [];
  for (const item of items) {
    redacted.push(redactor.schema(item));
    // Yields to other work: a catalogue may have thousands of tools.
    if (redacted.length % ITEMS_PER_TURN === 0) await nextTurn();
  }
  return redacted;
}

/** Remembers only the era if the catalogue is too large. */
function bounded({ era, catalog }: ServerMemory): ServerMemory {
  return { era, catalog: sizeOf(catalog) <= MAX_JSON.catalog ? catalog : NO_CATALOG };
}

function sizeOf(catalog: Catalog): number {
  try {
    return JSON.stringify(catalog).length;
  } catch {
    // The catalogue is nested too deep for V8's stack.
    return Infinity;
  }
}

function sorted(values: Record<string, string>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
