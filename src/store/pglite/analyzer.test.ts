import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/wait.ts';
import { openDb } from '../index.ts';
import { freshFolder } from '../testing.ts';
import type { RawResult } from '../value-conversion.ts';
import { Analyzer } from './analyzer.ts';

const did = (command: string, rowCount: number): RawResult => ({ command, rowCount, fields: [], rows: [] });

test('statistics are gathered after many changes, when the database is idle, and not again before as many', async () => {
  const ran: string[] = [];
  let analyzed = Promise.withResolvers<void>();
  const run = async (sql: string) => {
    ran.push(sql);
    if (sql === 'analyze second') analyzed.resolve();
    return {
      ...did('SELECT', 2),
      rows: [
        ['first', '9000'],
        ['second', '1000'],
      ],
    };
  };
  const analyzer = new Analyzer({ run }, 5);
  analyzer.note(did('SELECT', 5000));
  analyzer.note(did('INSERT', 150));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(ran.length, 0, 'few changes, and reading is none');
  analyzer.note(did('UPDATE', 60));
  await analyzed.promise;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    ran.filter((sql) => sql.startsWith('analyze')),
    ['analyze first', 'analyze second'],
  );
  analyzed = Promise.withResolvers();
  ran.length = 0;
  analyzer.note(did('INSERT', 900));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(ran.length, 0, 'a tenth of the rows has not changed yet');
  analyzer.note(did('INSERT', 200));
  await analyzed.promise;
});

test('PGlite knows the number of rows some time after they were inserted', async (t) => {
  const db = await openDb({ home: freshFolder(t) });
  t.after(() => db.close());
  await db.query('create table t (n integer)');
  const rows = async () =>
    (await db.query<{ rows: number }>(`select reltuples::int as rows from pg_class where relname = 't'`))
      .rows[0]?.rows;
  assert.equal(await rows(), -1);
  await db.query('insert into t select generate_series(1, 1000)');
  await eventually(async () => (await rows()) === 1000, 'statistics', 60_000, 1500);
});

test('a database that is never idle analyses what has doubled, one table in each pause', async () => {
  const ran: string[] = [];
  const run = async (sql: string) => {
    ran.push(sql);
    const isLook = sql.startsWith('select');
    return { ...did('SELECT', 2), rows: isLook ? [['first'], ['second']] : [] };
  };
  const analyzer = new Analyzer({ run });
  analyzer.note(did('SELECT', 5000));
  analyzer.note(did('INSERT', 900));
  assert.equal(analyzer.isOverdue, false);
  analyzer.note(did('UPDATE', 100));
  const pauses: string[][] = [];
  while (analyzer.isOverdue && pauses.length < 9) {
    await analyzer.usePause(run);
    pauses.push(ran.splice(0).filter((sql) => sql.startsWith('analyze')));
  }
  assert.deepEqual(pauses, [[], ['analyze second'], ['analyze first']]);
});

test('PGlite knows how a table has grown without having been idle', async (t) => {
  const db = await openDb({ home: freshFolder(t) });
  t.after(() => db.close());
  await db.query('create table t (n integer)');
  const sample = async () => (await db.query('show default_statistics_target')).rows;
  const usualSample = await sample();
  const rows = async () =>
    (await db.query<{ rows: number }>(`select reltuples::int as rows from pg_class where relname = 't'`))
      .rows[0]?.rows ?? 0;
  let known = -1;
  for (let inserted = 0; inserted < 200_000 && known < 10_000; inserted += 500) {
    await db.transaction(async (tx) => {
      await tx.query('insert into t select generate_series(1, 500)');
    });
    known = await rows();
  }
  assert.ok(known >= 10_000, `${known} rows are known`);
  assert.deepEqual(await sample(), usualSample);
});
