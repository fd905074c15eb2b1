import assert from 'node:assert/strict';
import { openLog } from '../log.ts';
import type { Principal } from '../principal.ts';
import { ana, ben, cyd } from '../registry/testing.ts';
import { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { onBothEngines } from '../store/testing.ts';
import { ToolOutputObserver } from './tool-output-observer.ts';

const log = openLog({ level: 'error' });
const listed = { name: 'mcp__shop__orders', description: 'Lists orders', inputSchema: { type: 'object' } };
const orders = { server: 'shop', tool: 'orders', listed };
const dea = { ...ana, user: 'dea' };

function observerOf(db: Db, redactor = new Redactor()) {
  const observer = new ToolOutputObserver(db, log);
  const note = (who: Principal, value: unknown, tool = orders) =>
    observer.note(who, tool, redactor, () => value);
  const seen = async (who: Principal, tool = orders) => (await observer.returnsOf(who, [tool]))[0];
  return { observer, note, seen };
}

onBothEngines('the shape of results is learned, widened, and known after a restart', async ({ db }) => {
  const { note, seen } = observerOf(db);
  assert.equal(await seen(ana), undefined);
  note(ana, { id: 1, buyer: 'Zoe' });
  note(ana, { id: 2, buyer: null, note: 'late' });
  const shape = {
    type: 'object',
    properties: { id: { type: 'number' }, buyer: { type: ['null', 'string'] }, note: { type: 'string' } },
    required: ['buyer', 'id'],
  };
  assert.deepEqual(await seen(ana), shape);
  assert.deepEqual(await observerOf(db).seen(ana), shape);
  const { rows } = await db.query('select * from tool_outputs');
  assert.equal(rows.length, 1);
  assert.doesNotMatch(JSON.stringify(rows), /Zoe|late/);
});

onBothEngines('a result that cannot be read does not keep others from being learned', async ({ db }) => {
  const { observer, note, seen } = observerOf(db);
  observer.note(ana, orders, new Redactor(), () => {
    throw new TypeError('content[0] is null');
  });
  note(ana, 7);
  assert.deepEqual(await seen(ana), { type: 'number' });
});

onBothEngines('another definition of the tool starts anew', async ({ db }) => {
  const { note, seen } = observerOf(db);
  note(ana, { id: 1 });
  const changed = { ...orders, listed: { ...listed, description: 'Counts orders' } };
  assert.equal(await seen(ana, changed), undefined);
  note(ana, 7, changed);
  assert.deepEqual(await seen(ana, changed), { type: 'number' });
  assert.equal(await seen(ana), undefined);
  // A list may name the tool otherwise.
  const renamed = { ...changed, listed: { ...changed.listed, name: 'shop__orders' } };
  assert.deepEqual(await seen(ana, renamed), { type: 'number' });
});

onBothEngines('others learn what results of two users have in common, in the same scope', async ({ db }) => {
  const { note, seen } = observerOf(db);
  note(ana, { id: 1, zqx_of_ana: 1 });
  assert.equal(await seen(ben), undefined);
  note(dea, { id: 2, of_dea: 1 });
  const common = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] };
  assert.deepEqual(await seen(ben), common);
  assert.equal(await seen(cyd), undefined);
  assert.ok(JSON.stringify(await seen(ana)).includes('zqx_of_ana'));
});

onBothEngines('what a tool declares is not learned, and secrets are no names', async ({ db }) => {
  const { note, seen } = observerOf(db, new Redactor(['hunter2-of-ana']));
  const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } };
  const declaring = { ...orders, listed: { ...listed, outputSchema } };
  note(ana, { other: 1 }, declaring);
  assert.deepEqual(await seen(ana, declaring), outputSchema);
  note(ana, { 'hunter2-of-ana': 1, id: 1 });
  note(ana, { ghp_16C7e42F292c6912E7710c838347Ae178B4a: 1, id: 1 });
  assert.doesNotMatch(JSON.stringify([await seen(ana)]), /hunter2|ghp_/);
  const { rows } = await db.query('select schema from tool_outputs');
  assert.equal(rows.length, 1);
  assert.doesNotMatch(JSON.stringify(rows), /hunter2|ghp_/);
});

onBothEngines('large results cost little, and what failed to be stored is learned again', async ({ db }) => {
  const { note, seen, observer } = observerOf(db);
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`column_${at}`, { a: { b: at } }]));
  note(
    ana,
    Array.from({ length: 20_000 }, () => wide),
  );
  const shape = await seen(ana);
  assert.equal(shape?.type, 'array');
  assert.ok(JSON.stringify(shape).length <= 2048);
  for (let at = 0; at < 500; at++) note(ana, { at });
  await observer.flush();
  const { rows } = await db.query<{ count: string }>('select count(*) from tool_outputs');
  assert.equal(Number(rows[0]?.count), 1);
});
