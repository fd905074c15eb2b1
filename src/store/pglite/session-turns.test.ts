import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDb } from '../index.ts';
import { freshFolder } from '../testing.ts';
import { SessionTurns } from './session-turns.ts';

test('a statement waits for the open transaction alone, and is sent in none', async () => {
  const turns = new SessionTurns();
  const events: string[] = [];
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const transactions = gates.map(({ promise }, at) =>
    turns.transaction(async () => {
      events.push(`begin ${at}`);
      await promise;
      events.push(`end ${at}`);
    }),
  );
  const statements = ['a', 'b'].map((name) => turns.statement(async () => events.push(name)));
  const drained = turns.drained().then(() => events.push('drained'));
  gates[0]?.resolve();
  await Promise.all(statements);
  statements.push(turns.statement(async () => events.push('c')));
  for (const { resolve } of gates) resolve();
  await Promise.all([...transactions, ...statements, drained]);

  assert.deepEqual(events.slice(0, 5), ['begin 0', 'end 0', 'a', 'b', 'begin 1']);
  assert.deepEqual(events.slice(5, 9), ['end 1', 'c', 'begin 2', 'end 2']);
  assert.deepEqual(events.slice(9), ['drained']);
  await turns.statement(async () => events.push('at once'));
  assert.equal(events.at(-1), 'at once');
});

test('a transaction that fails lets the next one begin', async () => {
  const turns = new SessionTurns();
  const failing = turns.transaction(() => Promise.reject(new Error('no')));
  const next = turns.transaction(async () => 'done');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'done');
  await turns.drained();
});

test('a query is answered while hundreds of transactions wait, and sees none of them half done', async (t) => {
  const db = await openDb({ home: freshFolder(t) });
  t.after(() => db.close());
  await db.query('create table pair (n integer)');
  let ended = 0;
  const writers = Array.from({ length: 300 }, () =>
    db
      .transaction(async (tx) => {
        await tx.query('insert into pair values (1)');
        await tx.query('insert into pair values (2)');
      })
      .then(() => {
        ended += 1;
      }),
  );
  const counts: number[] = [];
  let endedAtFirst = 0;
  for (let n = 0; n < 20; n++) {
    const { rows } = await db.query<{ count: number }>('select count(*) as count from pair');
    if (n === 0) endedAtFirst = ended;
    counts.push(rows[0]?.count ?? -1);
  }
  const endedAtLast = ended;
  await Promise.all(writers);

  assert.ok(endedAtFirst < 10, `${endedAtFirst} of 300 transactions ended before the first query`);
  assert.ok(endedAtLast < 300, 'all transactions ended before twenty queries');
  assert.ok(
    counts.every((count) => count % 2 === 0),
    `half a transaction was seen: ${counts}`,
  );
});
