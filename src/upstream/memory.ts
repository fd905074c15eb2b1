import { createHmac } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { ServerConfig } from '../config/index.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { MAX_JSON } from '../texts.ts';
import { type Catalog, NO_CATALOG } from './catalog.ts';
import type { Era } from './connect.ts';

/** What was known of a server when it was last seen. */
export interface Memory {
  era: Era;
  catalog: Catalog;
}

/** A server may have learnt the newer era since; after this long it is asked again. */
const ERA_DAYS = 7;
const KEPT = 500;
/** Between two turns of the event loop. */
const CLEANED_AT_ONCE = 200;

/** Whose view of a server is remembered. */
export interface MemoryScope {
  readonly org: string;
  readonly project: string;
}

/**
 * What each server offered when it was last seen, so that the next start can list it before it is up, and knows how to
 * speak to it. A server may offer each caller something else, so what one was shown is remembered for those alone who come
 * from the same scope with the same credentials.
 */
export class UpstreamMemory {
  readonly #db: Db;
  readonly #log: Log;
  readonly #secret: Buffer;
  readonly #instance: string;
  readonly #known = new Map<string, Memory>();
  /** One after the other, so that the last of them is what stays. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(db: Db, log: Log, secret: Buffer) {
    this.#db = db;
    this.#log = log;
    this.#secret = secret;
    this.#instance = this.#digest('instance').slice(0, 16);
  }

  /** The secret is this instance's own: without it the keys tell nothing of the credentials, not even by trying. */
  static async open(db: Db, log: Log, secret: Buffer): Promise<UpstreamMemory> {
    const memory = new UpstreamMemory(db, log, secret);
    // Keys without an instance are of an older version, and the same for all credentials.
    await db.query(
      `delete from upstream_memory where seen_at < now() - make_interval(days => $1) or strpos(key, ':') = 0`,
      [ERA_DAYS],
    );
    const { rows } = await db.query<Memory & { key: string }>(
      `select key, era, catalog from upstream_memory where starts_with(key, $1) order by seen_at desc limit $2`,
      [`${memory.#instance}:`, KEPT],
    );
    for (const { key, era, catalog } of rows.reverse()) memory.#known.set(key, { era, catalog });
    return memory;
  }

  recall(scope: MemoryScope, server: ServerConfig): Memory | undefined {
    return this.#known.get(this.#keyOf(scope, server));
  }

  remember(scope: MemoryScope, server: ServerConfig, seen: Memory, redactor: Redactor): void {
    const key = this.#keyOf(scope, server);
    const memory = bounded(seen);
    // The one that was seen longest ago comes first.
    this.#known.delete(key);
    this.#known.set(key, memory);
    if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value as string);
    this.#writing = this.#writing
      .then(() => this.#write(key, memory, redactor))
      .catch((error) => this.#log.debug(`server ${server.name} is not remembered: ${messageOf(error)}`));
  }

  async #write(key: string, { era, catalog }: Memory, redactor: Redactor): Promise<void> {
    const clean = await withoutSecrets(catalog, redactor);
    await this.#db.query(
      `insert into upstream_memory (key, era, catalog, seen_at) values ($1, $2, $3::jsonb, now())
       on conflict (key) do update set era = excluded.era, catalog = excluded.catalog, seen_at = excluded.seen_at`,
      [key, era, JSON.stringify(clean)],
    );
  }

  /** All that settles what the server shows: where it is, who asks, and with which credentials. */
  #keyOf({ org, project }: MemoryScope, { transport }: ServerConfig): string {
    const what =
      transport.kind === 'stdio'
        ? [transport.kind, transport.command, transport.args, transport.cwd, sorted(transport.env)]
        : [transport.kind, transport.url, sorted(transport.headers)];
    return `${this.#instance}:${this.#digest(JSON.stringify([org, project, what]))}`;
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('hex');
  }
}

/** A server may quote its secrets where it describes what it offers. */
async function withoutSecrets(catalog: Catalog, redactor: Redactor): Promise<Catalog> {
  const clean: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(catalog)) {
    if (!Array.isArray(value)) clean[key] = redactor.schema(value);
    else clean[key] = await cleanItems(value, redactor);
  }
  return clean as unknown as Catalog;
}

async function cleanItems(items: readonly unknown[], redactor: Redactor): Promise<unknown[]> {
  const clean: unknown[] = [];
  for (const item of items) {
    clean.push(redactor.schema(item));
    // Others are served meanwhile: a catalogue may have thousands of tools.
    if (clean.length % CLEANED_AT_ONCE === 0) await breathe();
  }
  return clean;
}

/** Of a catalogue that is too large, only how to speak to the server is remembered. */
function bounded({ era, catalog }: Memory): Memory {
  return { era, catalog: sizeOf(catalog) <= MAX_JSON.catalog ? catalog : NO_CATALOG };
}

function sizeOf(catalog: Catalog): number {
  try {
    return JSON.stringify(catalog).length;
  } catch {
    // Nested deeper than the stack.
    return Infinity;
  }
}

function sorted(values: Record<string, string>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
