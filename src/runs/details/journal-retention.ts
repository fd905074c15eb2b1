import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { deleteCalls } from '../../registry/usage/index.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { deleteDetails } from './run-details-table.ts';

interface Scope {
  readonly org: string;
  readonly project: string;
}

const DAY_MS = 86_400_000;
/** The first pruning waits this long, so that it does not slow down the start. */
const FIRST_MS = 60_000;
/** How many rows are deleted at a time: others use the database in between. */
const BATCH = 2000;

/** Deletes the calls and details of runs of a scope that are older than so many days. Returns how many rows there were. */
export async function pruneJournal(
  db: Queryable,
  scope: Scope,
  keepDays: number,
  now = Date.now(),
): Promise<number> {
  const before = new Date(now - keepDays * DAY_MS);
  const batches = [
    () => deleteCalls(db, scope, before, BATCH),
    () => deleteDetails(db, scope, firstIdOf(before), BATCH),
  ];
  let total = 0;
  for (const batch of batches)
    for (let deleted = BATCH; deleted === BATCH; total += deleted) deleted = await batch();
  return total;
}

/** The smallest id that a row made at this time can have: ids begin with their time. */
function firstIdOf(time: Date): string {
  const text = time.getTime().toString(16).padStart(12, '0');
  return `${text.slice(0, 8)}-${text.slice(8)}-7000-8000-000000000000`;
}

/** Prunes the journal of a scope once a day. */
export class JournalRetention {
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, log: Log, scope: Scope, keepDays: number) {
    const prune = async () => {
      try {
        const deleted = await pruneJournal(db, scope, keepDays);
        if (deleted > 0)
          log.info(`deleted ${deleted} rows of the journal that were older than ${keepDays} days`);
      } catch (error) {
        log.warn(`the journal could not be pruned: ${messageOf(error)}`);
      }
      if (this.#timer) this.#timer = setTimeout(prune, DAY_MS).unref();
    };
    if (keepDays > 0) this.#timer = setTimeout(prune, FIRST_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
