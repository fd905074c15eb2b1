import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabase } from '../testing/postgres.ts';
import { openDb, type Queryable } from './index.ts';
import { StatementNames } from './statement-names.ts';
import { onBothEngines } from './testing.ts';

const ALL = 'select * from t where n > $1 order by n';

async function prepared(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ statement: string }>('select statement from pg_prepared_statements');
  return rows.map(({ statement }) => statement);
}

onBothEngines('a repeated statement is prepared, a one-time statement is not', async ({ db }) => {
  // Statements of no other test: on PGlite all share one session.
  const create = 'create table prepared_here (n integer)';
  const insert = 'insert into prepared_here values ($1)';
  const select = 'select n from prepared_here where n > $1';
  await db.transaction(async (tx) => {
    await tx.query(create);
    for (let n = 0; n < 3; n++) await tx.query(insert, [n]);
    for (let n = 0; n < 3; n++) await tx.query(select, [n], { prepare: false });
    const statements = await prepared(tx);
    assert.ok(statements.includes(insert));
    assert.ok(!statements.includes(create));
    assert.ok(!statements.includes(select));
  });
});

onBothEngines('prepared statements survive a schema change', async ({ db }) => {
  await db.query('create table t (n integer)');
  await db.query('insert into t values (1), (2)');
  const ask = async (on: Queryable) => (await on.query(ALL, [0])).rows;
  for (let n = 0; n < 8; n++) await ask(db);
  await db.query(`alter table t add column word text default 'new'`);

  const after = [
    { n: 1, word: 'new' },
    { n: 2, word: 'new' },
  ];
  assert.deepEqual(await ask(db), after);
  for (let n = 0; n < 3; n++) assert.deepEqual(await ask(db), after);
  await db.query('alter table t drop column word');
  const runs: number[] = [];
  const inTransaction = await db.transaction(async (tx) => {
    runs.push(runs.length);
    await tx.query('insert into t values (3)');
    return ask(tx);
  });
  assert.deepEqual(inTransaction, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  assert.deepEqual(runs, [0, 1], 'the transaction met the old plan and ran again');
});

onBothEngines(
  'prepared statements survive another search path and a session that lost them',
  async ({ db }) => {
    const ask = async () => (await db.query('select n from t where n > $1', [0])).rows;
    await db.transaction(async (tx) => {
      await tx.query('create table t (n integer)');
      await tx.query('insert into t values (1)');
      const inside = () => tx.query('select n from t where n > $1', [0]);
      for (let n = 0; n < 3; n++) await inside();
      await tx.query('create schema other_place');
      await tx.query('set local search_path to other_place');
      await tx.query('create table t (n integer)');
      assert.deepEqual((await inside()).rows, []);
    });
    await db.query('drop schema other_place cascade');
    for (let n = 0; n < 3; n++) await ask();
    await db.query('deallocate all');
    assert.deepEqual(await ask(), [{ n: 1 }]);
  },
);

onBothEngines('statements sent together are answered in order', async ({ db }) => {
  await db.query('create table t (n integer)');
  const answers = await db.transaction(async (tx) => {
    const sent = Array.from({ length: 5 }, (_, n) => tx.query('insert into t values ($1) returning n', [n]));
    return Promise.all(sent);
  });
  assert.deepEqual(
    answers.map(({ rows }) => rows[0]),
    [0, 1, 2, 3, 4].map((n) => ({ n })),
  );
  const failing = db.transaction((tx) =>
    Promise.all(['insert into t values (9)', 'select 1/0', 'select 1'].map((sql) => tx.query(sql))),
  );
  await assert.rejects(failing, { name: 'SqlError', code: '22012' });
  assert.equal((await db.query('select 1 from t where n = 9')).rowCount, 0);
});

test('statements work on after a connection is lost with its prepared ones', async (t) => {
  const databaseUrl = await freshDatabase();
  const open = async () => {
    const db = await openDb({ home: '', databaseUrl });
    t.after(() => db.close());
    return db;
  };
  const [db, other] = [await open(), await open()];
  await db.query('create table t (n integer)');
  for (let n = 0; n < 4; n++) await db.query(ALL, [0]);
  await other.query(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  for (let n = 0; n < 4; n++) await db.query(ALL, [0]).catch(() => {});
  assert.deepEqual((await db.query(ALL, [0])).rows, []);
});

test('the number of statement names is limited', () => {
  const names = new StatementNames();
  const given = new Set<string | undefined>();
  for (let n = 0; n < 5000; n++) {
    names.nameOf(`select ${n}`);
    given.add(names.nameOf(`select ${n}`));
  }
  assert.equal(given.size, 501);
  names.renew();
  names.nameOf('select 1');
  assert.ok(!given.has(names.nameOf('select 1')));
});
