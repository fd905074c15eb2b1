import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openLog } from '../../src/log.ts';
import { Journal } from '../../src/runs/index.ts';
import { openDb } from '../../src/store/index.ts';
import { threadTimes } from '../support/thread-times.ts';

/** Calls that end in one turn of the event loop, about as many as with 32 callers. */
const CALLS_PER_TURN = 8;
const WHO = { user: 'bench', org: 'local', project: 'default' };

/** Microseconds of processor time for a call that is journalled: of the main thread, and of the busiest other, the store. */
export async function measureJournal(calls: number): Promise<{ main: number; store: number }> {
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'));
  const db = await openDb({ home });
  const journal = await Journal.open(db, join(home, 'journal.jsonl'), openLog({ level: 'silent' }));
  const record = async (count: number) => {
    for (let done = 1; done <= count; done++) {
      journal.record({
        server: 'mini',
        tool: 'echo',
        who: WHO,
        success: true,
        durationMs: performance.now(),
      });
      if (done % CALLS_PER_TURN === 0) await nextTurn();
    }
    await journal.flush();
  };
  try {
    // Warms up: the engine's code is compiled while it runs.
    for (let round = 0; round < 3; round++) await record(calls);
    const before = threadTimes(process.pid);
    await record(calls);
    const spent = new Map(
      [...threadTimes(process.pid)].map(([id, us]) => [id, (us - (before.get(id) ?? 0)) / calls]),
    );
    const main = spent.get(process.pid) ?? 0;
    spent.delete(process.pid);
    return { main, store: Math.max(...spent.values()) };
  } finally {
    await journal.close();
    await db.close();
    rmSync(home, { recursive: true, force: true });
  }
}
