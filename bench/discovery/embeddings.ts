import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalModel, openLocalModel, Vectors } from '../../src/discovery/index.ts';
import { openLog } from '../../src/log.ts';
import { openDb } from '../../src/store/index.ts';
import type { DataSet } from './data.ts';
import { indexOf, measureQuality, type Quality } from './quality.ts';

/** Measures the sets with vectors of a model on this machine. Each search waits for the vector of its query. */
export async function measureWithEmbeddings(sets: readonly DataSet[], model: LocalModel): Promise<Quality[]> {
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'));
  const db = await openDb({ home });
  const log = openLog({ level: 'warn', print: (line) => process.stderr.write(`${line}\n`) });
  const embedder = await openLocalModel(model);
  try {
    const measured: Quality[] = [];
    for (const set of sets) {
      const vectors = new Vectors({ db, log, queryMs: 60_000, open: async () => embedder });
      measured.push(await measureQuality(set, await indexOf(set.entries, vectors)));
    }
    return measured;
  } finally {
    embedder.close();
    await db.close();
    rmSync(home, { recursive: true, force: true });
  }
}
