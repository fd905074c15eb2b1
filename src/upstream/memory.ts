import { createHash } from 'node:crypto';
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

/**
 * What each server offered when it was last seen, so that the next start can list it before it is up, and knows how to
 * speak to it.
 */
export class UpstreamMemory {
  readonly #db: Db;
  readonly #log: Log;
  readonly #known: Map<string, Memory>;
  /** One after the other, so that the last of them is what stays. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(db: Db, log: Log, known: Map<string, Memory>) {
    this.#db = db;
    this.#log = log;
    this.#known = known;
  }

  static async open(db: Db, log: Log): Promise<UpstreamMemory> {
    const { rows } = await db.query<{ key: string; era: Era; catalog: Catalog }>(
      `select key, era, catalog from upstream_memory
       where seen_at > now() - make_interval(days => $1) order by seen_at desc limit $2`,
      [ERA_DAYS, KEPT],
    );
    return new UpstreamMemory(db, log, new Map(rows.map(({ key, era, catalog }) => [key, { era, catalog }])));
  }

  recall(server: ServerConfig): Memory | undefined {
    return this.#known.get(keyOf(server));
  }

  remember(server: ServerConfig, seen: Memory, redactor: Redactor): void {
    const key = keyOf(server);
    const memory = bounded(seen);
    this.#known.set(key, memory);
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

/** What makes two entries the same server. Values of the environment and of headers are left out: they are secrets. */
function keyOf({ transport }: ServerConfig): string {
  const what =
    transport.kind === 'stdio'
      ? [transport.kind, transport.command, transport.args, transport.cwd, Object.keys(transport.env).sort()]
      : [transport.kind, transport.url, Object.keys(transport.headers).sort()];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}
