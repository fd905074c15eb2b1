import assert from 'node:assert/strict';
import { onBothEngines } from './testing.ts';

const noGap = () => assert.fail('no gap was expected');

/** Collects payloads, and waits for a given number of them. */
function collect() {
  const payloads: string[] = [];
  let wake = () => {};
  return {
    hear: (payload: string) => {
      payloads.push(payload);
      wake();
    },
    async first(count: number): Promise<string[]> {
      while (payloads.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return payloads;
    },
  };
}

onBothEngines('a payload sent on one handle arrives on another', async ({ db, again }) => {
  const heard = collect();
  await db.listen('a "quoted" Channel', heard.hear, noGap);
  const other = await again();
  await other.query('select pg_notify($1, $2)', ['a "quoted" Channel', 'hello']);
  assert.deepEqual(await heard.first(1), ['hello']);
});

onBothEngines(
  'a payload arrives when its transaction commits, and not when it rolls back',
  async ({ db }) => {
    const heard = collect();
    await db.listen('changes', heard.hear, noGap);
    const send = (payload: string) => `select pg_notify('changes', '${payload}')`;
    await db.transaction((tx) => tx.query(send('undone')).then(() => Promise.reject())).catch(() => {});
    await db.transaction((tx) => tx.query(send('kept')));
    assert.deepEqual(await heard.first(1), ['kept']);
  },
);

onBothEngines('a listener that stopped gets nothing more, and the others still do', async ({ db }) => {
  const [gone, staying] = [collect(), collect()];
  const stop = await db.listen('changes', gone.hear, noGap);
  await db.listen('changes', staying.hear, noGap);
  await db.query(`select pg_notify('changes', 'one')`);
  await gone.first(1);
  await stop();
  await db.query(`select pg_notify('changes', 'two')`);
  assert.deepEqual(await staying.first(2), ['one', 'two']);
  assert.deepEqual(await gone.first(1), ['one']);
});

onBothEngines('a channel can be left and joined again', async ({ db }) => {
  const stop = await db.listen('changes', () => assert.fail('left'), noGap);
  await stop();
  const heard = collect();
  await db.listen('changes', heard.hear, noGap);
  await db.query(`select pg_notify('changes', 'again')`);
  assert.deepEqual(await heard.first(1), ['again']);
});
