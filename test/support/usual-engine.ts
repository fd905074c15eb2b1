import { engines } from '../../src/testing/effort.ts';
import { freshDatabase } from '../../src/testing/postgres.ts';
import type { Pml } from './pml.ts';

const IS_POSTGRES = engines()[0] === 'PostgreSQL';

/** The variables that put a PML on the engine of an everyday run: mostly a new database on PostgreSQL. */
export async function usualDatabase(onPostgres = IS_POSTGRES): Promise<Record<string, string>> {
  return onPostgres ? { PML_DATABASE_URL: await freshDatabase() } : {};
}

/** Puts a PML that has not started yet on that engine. Tests of the home or of a start leave it on PGlite. */
export async function onUsualEngine(pml: Pml, onPostgres = IS_POSTGRES): Promise<void> {
  if (pml.env.PML_DATABASE_URL === undefined) Object.assign(pml.env, await usualDatabase(onPostgres));
}
