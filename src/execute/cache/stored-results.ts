import { createHash } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import type { Keys } from '../../registry/index.ts';
import type { Db } from '../../store/index.ts';
import { type CachedResult, type CacheEntry, textFor, valueIn } from './cached-result.ts';
import type { Dependency } from './dependency-log.ts';

/** The bounds of each scope, so that no scope evicts the results of another. */
export interface StoreBounds {
  entries: number;
  bytes: number;
}

const BOUNDS: StoreBounds = { entries: 5000, bytes: 64 * 1024 * 1024 };
/** The bounds are enforced after this many writes of this process, or after this part of the bytes. */
const SWEEP_EVERY = 50;
const SWEEP_SHARE = 1 / 8;
/** For how many scopes this process counts its writes. */
const MOST_SCOPES = 1000;
/** The time of the last use is stored only if the stored one is older than this. */
const USE_NOTED_MS = 1000;

interface Row {
  result: string;
  dependencies: Dependency[];
  bytes: number;
  made_at: Date;
  expires_at: Date;
  used_at: Date;
  signature: string;
}

const SELECT = `select result, dependencies, bytes, made_at, expires_at, used_at, signature from cached_results
  where key = $1 and made_at <= $2 and expires_at > $2`;

const UPSERT = `insert into cached_results
    (key, org, project, result, dependencies, bytes, made_at, expires_at, used_at, signature)
  values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $7, $9)
  on conflict (key) do update set result = excluded.result, dependencies = excluded.dependencies, bytes = excluded.bytes,
    made_at = excluded.made_at, expires_at = excluded.expires_at, used_at = excluded.used_at,
    signature = excluded.signature`;

const NOTE_USE = 'update cached_results set used_at = $2 where key = $1 and used_at < $2';

const DELETE_EXPIRED = `delete from cached_results where key in (
  select key from cached_results where expires_at <= $1 limit 1000)`;

const DELETE_LEAST_USED = `delete from cached_results where key in (
  select key from (
    select key, row_number() over used as nth, sum(bytes) over used as total from cached_results
    where org = $1 and project = $2 window used as (order by used_at desc, key)
  ) ranked where nth > $3 or total > $4)`;

/** Results in the database, shared by its replicas and kept over restarts. A row that PML did not sign is not read. */
export class StoredResults {
  readonly #db: Db;
  readonly #keys: Keys;
  readonly #bounds: StoreBounds;
  /** Entries and bytes that this process wrote since the bounds were enforced, by scope. */
  readonly #written = new Map<string, { entries: number; bytes: number }>();

  constructor(db: Db, keys: Keys, bounds: StoreBounds = BOUNDS) {
    this.#db = db;
    this.#keys = keys;
    this.#bounds = bounds;
  }

  async find({ key, readAt }: CacheEntry): Promise<CachedResult | undefined> {
    const { rows } = await this.#db.query<Row>(SELECT, [key, readAt]);
    const [row] = rows;
    if (!row) return undefined;
    if ((await this.#keys.verify(signedText(key, row), row.signature)) !== 'valid') return undefined;
    if (readAt.getTime() - row.used_at.getTime() > USE_NOTED_MS)
      await this.#db.query(NOTE_USE, [key, readAt]);
    return { value: valueIn(row.result), bytes: row.bytes, dependencies: row.dependencies };
  }

  async keep(entry: CacheEntry, { value, bytes, dependencies }: CachedResult): Promise<void> {
    const { key, org, project, ttlSeconds, readAt } = entry;
    const result = textFor(value);
    const expires_at = new Date(readAt.getTime() + ttlSeconds * 1000);
    const signature = this.#keys.sign(
      signedText(key, { result, dependencies, bytes, made_at: readAt, expires_at }),
    );
    const json = JSON.stringify(dependencies);
    await this.#db.query(UPSERT, [key, org, project, result, json, bytes, readAt, expires_at, signature]);
    await this.#sweepSometimes(entry, bytes);
  }

  async #sweepSometimes({ org, project, readAt }: CacheEntry, bytes: number): Promise<void> {
    if (this.#written.size > MOST_SCOPES) this.#written.clear();
    const scope = JSON.stringify([org, project]);
    const written = this.#written.get(scope);
    const entries = (written?.entries ?? 0) + 1;
    const total = (written?.bytes ?? 0) + bytes;
    // Earlier processes may have left too much, so the first write sweeps too.
    const isDue = !written || entries >= SWEEP_EVERY || total >= this.#bounds.bytes * SWEEP_SHARE;
    this.#written.set(scope, isDue ? { entries: 0, bytes: 0 } : { entries, bytes: total });
    if (!isDue) return;
    await this.#db.query(DELETE_EXPIRED, [readAt]);
    await this.#db.query(DELETE_LEAST_USED, [org, project, this.#bounds.entries, this.#bounds.bytes]);
  }
}

type Signed = Pick<Row, 'result' | 'bytes' | 'made_at' | 'expires_at'> & {
  dependencies: readonly Dependency[];
};

function signedText(key: string, { result, dependencies, bytes, made_at, expires_at }: Signed): string {
  const hash = createHash('sha256').update(result).digest('hex');
  const times = { made: made_at.getTime(), expires: expires_at.getTime() };
  return `cached result ${canonicalJson({ key, result: hash, dependencies, bytes, ...times })}`;
}
