import { createHash } from 'node:crypto';
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

/**
 * What each server offered when it was last seen, so that the next start can list it before it is up, and knows how to
 * speak to it.
 */
export class UpstreamMemory {
  readonly #db: Db;
  readonly #log: Log;
  readonly #known: Map<string, Memory>;

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

  /** Without what the server quotes of its secrets. */
  remember(server: ServerConfig, seen: Memory, redactor: Redactor): void {
    const key = keyOf(server);
    const memory = bounded({ ...seen, catalog: redactor.texts(seen.catalog) });
    this.#known.set(key, memory);
    this.#db
      .query(
        `insert into upstream_memory (key, era, catalog, seen_at) values ($1, $2, $3::jsonb, now())
         on conflict (key) do update set era = excluded.era, catalog = excluded.catalog, seen_at = excluded.seen_at`,
        [key, memory.era, JSON.stringify(memory.catalog)],
      )
      .catch((error) => this.#log.debug(`server ${server.name} is not remembered: ${messageOf(error)}`));
  }
}

/** Of a catalogue that is too large, only how to speak to the server is remembered. */
function bounded({ era, catalog }: Memory): Memory {
  if (JSON.stringify(catalog).length <= MAX_JSON.catalog) return { era, catalog };
  return { era, catalog: NO_CATALOG };
}

/** What makes two entries the same server. Values of the environment and of headers are left out: they are secrets. */
function keyOf({ transport }: ServerConfig): string {
  const what =
    transport.kind === 'stdio'
      ? [transport.kind, transport.command, transport.args, transport.cwd, Object.keys(transport.env).sort()]
      : [transport.kind, transport.url, Object.keys(transport.headers).sort()];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}
