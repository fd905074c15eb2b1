import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { PmlError } from '../errors.ts';
import { sourceFile } from '../package-files.js';
import type { Tx } from './db.ts';

export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
}

interface Applied {
  number: number;
  name: string;
  checksum: string;
}

interface Migratable {
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

// Key of the advisory lock: arbitrary, but the same in every PML.
const MIGRATION_LOCK = 7_263_548;

const CREATE_TABLE = `
  create table if not exists schema_migration (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`;

/** Reads the migrations that this PML has, in order. */
export function readMigrations(folder = sourceFile('store/migrations/')): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, index) => {
    const [, digits, name] = /^(\d{3})_(\w+)\.sql$/.exec(file) ?? [];
    if (!name || Number(digits) !== index + 1) throw new Error(`Migration ${file} is out of sequence`);
    const sql = readFileSync(new URL(file, folder), 'utf8');
    return { number: index + 1, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** Brings the database up to date, one transaction a migration. Processes that start together take turns. */
export async function migrate(db: Migratable, migrations = readMigrations()): Promise<void> {
  while (await db.transaction((tx) => applyNext(tx, migrations))) {
    // Each iteration applies one, until none is left.
  }
}

/** Applies the first missing migration; returns whether there was one. */
async function applyNext(tx: Tx, migrations: Migration[]): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await tx.script(CREATE_TABLE);
  const { rows } = await tx.query<Applied>(
    'select number, name, checksum from schema_migration order by number',
  );
  checkHistory(rows, migrations);
  const next = migrations[rows.length];
  if (!next) return false;
  await tx.script(next.sql);
  await tx.query('insert into schema_migration (number, name, checksum) values ($1, $2, $3)', [
    next.number,
    next.name,
    next.checksum,
  ]);
  return true;
}

function checkHistory(applied: Applied[], migrations: Migration[]): void {
  for (const { number, name, checksum } of applied) {
    const known = migrations[number - 1];
    if (!known) {
      throw new PmlError(
        'database_unreachable',
        `The database was made by a newer PML: it has migration ${number} (${name}), this PML knows ${migrations.length}.`,
        { hint: 'Upgrade PML.' },
      );
    }
    if (known.checksum !== checksum) {
      throw new PmlError(
        'database_unreachable',
        `Migration ${number} (${name}) was changed after it ran on this database.`,
        { hint: 'Restore the file, and put the change into a new migration.' },
      );
    }
  }
}
