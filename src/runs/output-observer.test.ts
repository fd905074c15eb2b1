import assert from 'node:assert/strict';
import { openLog } from '../log.ts';
import { ana, ben, saveCapability } from '../registry/testing.ts';
import type { Db } from '../store/index.ts';
import { onBothEngines } from '../store/testing.ts';
import { eventually } from '../testing/wait.ts';
import { OutputObserver } from './output-observer.ts';

const log = openLog({ level: 'error' });
const storedResults = async (db: Db) =>
  (await db.query<{ results: number }>('select results from capability_outputs')).rows.map(
    ({ results }) => results,
  );

onBothEngines(
  'results that teach nothing new are not written, and another process knows what was declared',
  async ({ db }) => {
    const capability = await saveCapability(db, ana, 'my:out');
    const outputs = new OutputObserver(db, log);
    assert.equal(await outputs.declared(capability), undefined);
    outputs.note(capability, ana, { id: 1 });
    await outputs.flush();
    for (let id = 0; id < 3; id++) outputs.note(capability, ana, { id });
    await outputs.flush();
    const declared = { type: 'object', properties: { id: { type: 'number' } } };
    assert.deepEqual(await outputs.declared(capability), declared);
    assert.deepEqual(await storedResults(db), [4]);
    assert.deepEqual(await new OutputObserver(db, log).declared(capability), declared);
  },
);

onBothEngines("another's result alone teaches nothing; it loosens what is stored", async ({ db }) => {
  const capability = await saveCapability(db, ana, 'my:out', 'project');
  const first = new OutputObserver(db, log);
  first.note(capability, ben, { secret_of_ben: 1 });
  await first.declared(capability);
  await first.flush();
  assert.deepEqual(await storedResults(db), []);
  for (let id = 0; id < 4; id++) first.note(capability, ana, { id });
  await first.flush();
  assert.ok(await first.declared(capability));
  const restarted = new OutputObserver(db, log);
  // It reads what is stored first.
  restarted.note(capability, ben, { id: null, secret_of_ben: 1 });
  const stored = async () => {
    await restarted.flush();
    const { rows } = await db.query<{ schema: object; declared: object | null }>(
      'select schema, declared from capability_outputs',
    );
    return rows[0]?.declared === null ? rows[0] : undefined;
  };
  const row = await eventually(stored, 'the declaration is withdrawn');
  assert.deepEqual(row?.schema, {
    type: 'object',
    properties: { id: { type: ['null', 'number'] } },
    required: ['id'],
  });
});
