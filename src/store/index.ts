import type { Db } from './db.ts';
import { migrate } from './migrate.ts';
import { openPglite } from './pglite/pglite-db.ts';

export type { Db, Queryable } from './db.ts';
export { type HomeLock, lockHome } from './lock.ts';
export { SqlError } from './sql-error.ts';

interface OpenOptions {
  home: string;
  /** A PostgreSQL URL. Without one the database is PGlite, in the home. */
  databaseUrl?: string;
  onProgress?: (message: string) => void;
}

/** Opens the database and brings its schema up to date. */
export async function openDb({ home, databaseUrl, onProgress }: OpenOptions): Promise<Db> {
  const db = databaseUrl ? await openPostgres(databaseUrl) : await openPglite({ home, onProgress });
  try {
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

/** Loads the driver on demand: most homes have PGlite. */
async function openPostgres(url: string) {
  const postgres = await import('./postgres/postgres-db.ts');
  return postgres.openPostgres(url);
}
