import assert from 'node:assert/strict';
import type { Queryable } from './index.ts';
import { onBothEngines } from './testing.ts';

async function numbers(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ n: number }>('select n from t order by n');
  return rows.map((row) => row.n);
}

onBothEngines('a transaction commits when its body returns', async ({ db }) => {
  await db.query('create table t (n integer)');
  const answer = await db.transaction(async (tx) => {
    await tx.query('insert into t values (1)');
    return numbers(tx);
  });
  assert.deepEqual([answer, await numbers(db)], [[1], [1]]);
});

onBothEngines('a transaction rolls back when its body throws', async ({ db }) => {
  await db.query('create table t (n integer)');
  const failing = db.transaction(async (tx) => {
    await tx.query('insert into t values (1)');
    throw new Error('changed my mind');
  });
  await assert.rejects(failing, /changed my mind/);
  assert.deepEqual(await numbers(db), []);
});

onBothEngines('a transaction whose body swallowed a failed statement fails', async ({ db }) => {
  await db.query('create table t (n integer)');
  const swallowing = db.transaction(async (tx) => {
    await tx.query('insert into t values (1)');
    await tx.query('select 1/0').catch(() => {});
  });
  await assert.rejects(swallowing, { name: 'SqlError', code: '25P02' });
  assert.deepEqual(await numbers(db), []);
});

onBothEngines('concurrent transactions do not mix', async ({ db }) => {
  await db.query('create table t (n integer)');
  await db.query('insert into t values (0)');
  const addOne = () =>
    db.transaction(async (tx) => {
      const { rows } = await tx.query<{ n: number }>('select n from t for update');
      await tx.query('update t set n = $1', [(rows[0]?.n ?? 0) + 1]);
    });
  await Promise.all(Array.from({ length: 20 }, addOne));
  assert.deepEqual(await numbers(db), [20]);
});

onBothEngines('a statement outside an open transaction is not part of it', async ({ db }) => {
  await db.query('create table t (n integer)');
  const opened = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const failing = db.transaction(async (tx) => {
    await tx.query('insert into t values (1)');
    opened.resolve();
    await end.promise;
    throw new Error('undone');
  });
  await opened.promise;
  const beside = db.query('insert into t values (2)');
  end.resolve();
  await assert.rejects(failing, /undone/);
  await beside;
  assert.deepEqual(await numbers(db), [2]);
});

onBothEngines(
  'a query on the database itself is refused inside a transaction, and works after it',
  async ({ db }) => {
    const wrong = db.transaction(async () => db.query('select 1'));
    await assert.rejects(wrong, /must use the transaction/);
    const nested = db.transaction(async () => db.transaction(async () => 1));
    await assert.rejects(nested, /must use the transaction/);
    assert.equal((await db.query('select 1')).rowCount, 1);
  },
);

onBothEngines('a transaction cannot be used after its end', async ({ db }) => {
  let kept: Queryable | undefined;
  await db.transaction(async (tx) => {
    kept = tx;
  });
  await assert.rejects(async () => kept?.query('select 1'), /transaction is over/);
});
