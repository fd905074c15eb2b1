import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { messageOf } from '../errors.ts';
import type { Json } from '../json.ts';
import { jsonBytes } from '../json-size.ts';
import type { Log } from '../log.ts';
import type { Callable } from '../registry/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db, Queryable } from '../store/index.ts';

/** A call that a run made, and its result. */
export interface RecordedCall {
  /** `server:tool`, or the FQDN of a capability. */
  readonly name: string;
  readonly args: Json;
  readonly result?: Json;
  /** The error message, if it failed. */
  readonly error?: string;
}

/** The arguments, calls and result of a run. */
export interface Recording {
  readonly args: Json;
  readonly calls: readonly RecordedCall[];
  readonly result: Json;
}

export interface StoredRecording extends Recording {
  readonly id: string;
}

/** How many runs of a version are recorded: enough to try new code on different arguments. */
const MOST = 5;
const MAX_BYTES = 256 * 1024;
/** How many versions this process remembers the recordings of. */
const REMEMBERED = 10_000;

const INSERT = `insert into run_recordings (capability_fqdn, version, args_hash, args, calls, result)
  select $1, $2, $3, $4::jsonb, $5::jsonb, $6::jsonb
  where (select count(*) from run_recordings where capability_fqdn = $1 and version = $2) < ${MOST}
  on conflict do nothing`;

/** The recordings of a version, or of the last one before it that has any. */
const SELECT = `select id::text, args, calls, result from run_recordings
  where capability_fqdn = $1 and version = (
    select max(version) from run_recordings where capability_fqdn = $1 and version <= $2)
  order by recorded_at, id`;

const COPY = `insert into run_recordings (capability_fqdn, version, args_hash, args, calls, result, recorded_at)
  select capability_fqdn, $3, args_hash, args, calls, result, recorded_at from run_recordings
  where capability_fqdn = $1 and version = (
    select max(version) from run_recordings where capability_fqdn = $1 and version <= $2)
  order by recorded_at limit ${MOST - 2} on conflict do nothing`;

/** Recordings of runs, by which code can be replayed without calling anything. */
export class Recordings {
  readonly #db: Db;
  readonly #log: Log;
  /** The hashes of arguments that are known to be recorded, by version. */
  readonly #known = new Map<string, Set<string>>();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Tells whether another recording of this version could be kept. */
  wants({ fqdn, version }: Callable): boolean {
    return (this.#known.get(`${fqdn}@${version}`)?.size ?? 0) < MOST;
  }

  /** Stores a recording without its secrets. Never throws: a run must not fail because it is not recorded. */
  async keep({ fqdn, version }: Callable, made: Recording, redactor: Redactor): Promise<void> {
    try {
      // Searching a large result for secrets takes seconds.
      if (jsonBytes([made.args, made.result], MAX_BYTES) === Infinity) return;
      const known = this.#knownOf(`${fqdn}@${version}`);
      // Arguments mostly hold no secret, so most repeats are recognised before the redaction.
      if (known.has(hashOf(made.args))) return;
      const clean = withoutSecrets(made, redactor);
      if (!clean) return;
      const { args, calls, result } = clean;
      const texts = [args, calls, result].map((part) => JSON.stringify(part));
      if (texts.join('').length > MAX_BYTES) return;
      const argsHash = hashOf(args);
      if (known.has(argsHash)) return;
      await this.#db.query(INSERT, [fqdn, version, argsHash, ...texts]);
      known.add(argsHash);
    } catch (error) {
      // The database cannot hold the text, or is away.
      this.#log.debug(`a run of ${fqdn} is not recorded: ${messageOf(error)}`);
    }
  }

  /** Copies the recordings of a version to a later one that does the same with their arguments. */
  async copy({ fqdn }: Callable, from: number, to: number): Promise<void> {
    await this.#db.query(COPY, [fqdn, from, to]);
  }

  async of({ fqdn, version }: Callable): Promise<StoredRecording[]> {
    const { rows } = await this.#db.query<StoredRecording>(SELECT, [fqdn, version]);
    return rows;
  }

  #knownOf(key: string): Set<string> {
    const known = this.#known.get(key) ?? new Set();
    if (this.#known.size >= REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(key, known);
    return known;
  }
}

function hashOf(args: Json): string {
  return createHash('sha256').update(canonicalJson(args)).digest('hex');
}

/** Hides each secret of a run wherever it occurs in the run. Undefined if there are too many secrets to search for. */
function withoutSecrets({ args, calls, result }: Recording, redactor: Redactor): Recording | undefined {
  if (redactor.isFull) return undefined;
  const own = redactor.fork();
  const data = { args, calls: calls.map((call) => ({ ...call })), result };
  own.learnThoroughly(data);
  return own.isFull ? undefined : own.json(data);
}

/** Lists the recordings of a version for those who may replay them, the oldest first. */
export async function listRecordings(
  db: Queryable,
  { fqdn, version }: Pick<Callable, 'fqdn' | 'version'>,
): Promise<(StoredRecording & { at: Date })[]> {
  const { rows } = await db.query<StoredRecording & { at: Date }>(
    `select id::text, args, calls, result, recorded_at as at from run_recordings
     where capability_fqdn = $1 and version = $2 order by recorded_at, id`,
    [fqdn, version],
  );
  return rows;
}
