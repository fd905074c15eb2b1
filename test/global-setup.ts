// Runs once before all test files: `node --test --test-global-setup`.
import { openDb } from '../src/store/index.ts';
import { MIGRATED, SHARED_SERVER, startServer } from '../src/testing/postgres.ts';

/** Starts one PostgreSQL server for all test files, with a migrated database to copy from. */
export async function globalSetup(): Promise<void> {
  const url = await startServer();
  const admin = await openDb({ home: '', databaseUrl: url });
  await admin.query(`create database ${MIGRATED}`);
  await admin.close();
  const template = await openDb({
    home: '',
    databaseUrl: Object.assign(new URL(url), { pathname: `/${MIGRATED}` }).href,
  });
  await template.close();
  // Test files are processes of their own and inherit this.
  process.env[SHARED_SERVER] = url;
}
