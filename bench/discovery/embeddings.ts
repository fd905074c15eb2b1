import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOnnx, Vectors } from '../../src/discovery/index.ts';
import { openLog } from '../../src/log.ts';
import { openDb } from '../../src/store/index.ts';
import type { DataSet } from './data.ts';
import { indexOf, measureQuality, type Quality } from './quality.ts';

/** Measures the sets with vectors of the model in a folder. */
export async function measureWithEmbeddings(sets: readonly DataSet[], folder: string): Promise<Quality[]> {
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'));
  const db = await openDb({ home });
  const log = openLog({ level: 'warn', print: (line) => process.stderr.write(`${line}\n`) });
  try {
    const measured: Quality[] = [];
    for (const set of sets) {
      const vectors = new Vectors({ db, log, open: () => openOnnx(folder) });
      measured.push(await measureQuality(set, await indexOf(set.entries, vectors)));
    }
    return measured;
  } finally {
    await db.close();
    rmSync(home, { recursive: true, force: true });
  }
}
