import assert from 'node:assert/strict';
import { NameIndex } from '../../access/index.ts';
import { openLog } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import { onChange, type RegistryChange, remember, rename, retire } from '../../registry/index.ts';
import { ana, ben, cyd, learned, registryOf, saveCapability } from '../../registry/testing.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { attempt } from '../../testing/wait.ts';
import { WorkspaceSearch } from './workspace-search.ts';

const tools = new NameIndex('tool', []);
const lifecycle = { unusedDays: null, minSuccessRate: null, minCalls: null };
const scope = { org: ana.org, project: ana.project };

/** A search of the scope of ana and ben that hears of all changes. */
async function searchOf(db: Db, hears = true) {
  const config = { scope, lifecycle };
  const log = openLog({ level: 'silent' });
  const search = new WorkspaceSearch({ config, db, log, sharedTools: () => tools, pageSize: 3 });
  if (hears) await onChange(db, (change) => search.registryChanged(change));
  const names = async (who: Principal, intent: string, limit = 50) => {
    const ask = () => search.search({ who, tools }, { intents: [intent], limit });
    const { found, isPartial } = await wholeOf(ask);
    assert.equal(isPartial, false);
    return found.map((one) => (one.kind === 'capability' ? one.capability.callName : one.id));
  };
  return { search, names };
}

type Answer = Awaited<ReturnType<WorkspaceSearch['search']>>;

/** Asks again for an answer that is partial: a search waits 5 s for the index, and a busy machine may pause for as long. */
function wholeOf(ask: () => Promise<Answer>): Promise<Answer> {
  return attempt(ask, ({ isPartial }) => !isPartial);
}

onBothEngines('capabilities are indexed in pages, and changes as they are announced', async ({ db }) => {
  for (let n = 0; n < 8; n++) await saveCapability(db, ana, `fs:read_${n}`);
  const { search, names } = await searchOf(db);
  assert.equal((await names(ana, 'read a file')).length, 8);
  assert.deepEqual(await names(ben, 'read a file'), []);
  await rename(registryOf(db), ana, 'fs:read_7', { newName: 'quill:sharpen', visibility: 'project' });
  assert.deepEqual(await names(ben, 'sharpen quill'), ['quill:sharpen']);
  await retire(registryOf(db), ana, 'quill:sharpen', 1);
  assert.deepEqual(await names(ben, 'sharpen quill'), []);
  search.close();
});

onBothEngines('what changed while nobody listened is found by those who may see it', async ({ db }) => {
  await saveCapability(db, ana, 'fs:lend', 'project');
  const { search, names } = await searchOf(db, false);
  assert.deepEqual(await names(ben, 'lend'), ['fs:lend']);
  // Unheard, it becomes private: the database has the last word, and its owner still finds it.
  await rename(registryOf(db), ana, 'fs:lend', { visibility: 'private' });
  assert.deepEqual(await names(ben, 'lend'), []);
  assert.deepEqual(await names(ana, 'lend'), ['fs:lend']);
  await retire(registryOf(db), ana, 'fs:lend', 1);
  assert.deepEqual(await names(ana, 'lend'), []);
  await saveCapability(db, ana, 'fs:borrow');
  assert.deepEqual(await names(ana, 'borrow'), []);
  search.registryChanged('unknown');
  assert.deepEqual(await names(ana, 'borrow'), ['fs:borrow']);
  search.close();
});

onBothEngines('other scopes share what they let out, and nothing else', async ({ db }) => {
  const { search, names } = await searchOf(db);
  await saveCapability(db, cyd, 'zoo:feed', 'project');
  await saveCapability(db, cyd, 'zoo:clean', 'org');
  await saveCapability(db, { ...cyd, org: 'far' }, 'zoo:close', 'public');
  await saveCapability(db, { ...cyd, org: 'far' }, 'zoo:open', 'org');
  assert.deepEqual((await names(ana, 'zoo')).sort(), ['acme.other:zoo:clean', 'far.other:zoo:close']);
  search.close();
});

onBothEngines('a database that fails makes an answer partial, and the next one whole', async ({ db }) => {
  await saveCapability(db, ana, 'fs:mend');
  let isBroken = true;
  const query: Db['query'] = (sql, params, how) =>
    isBroken ? Promise.reject(new Error('no connection')) : db.query(sql, params, how);
  const { search } = await searchOf({ ...handlesOf(db), query });
  const ask = () => search.search({ who: ana, tools }, { intents: ['mend'], limit: 5 });
  assert.deepEqual(await ask(), { found: [], isCurrent: true, isPartial: true });
  isBroken = false;
  const { found, isPartial } = await wholeOf(ask);
  assert.deepEqual([found.length, isPartial], [1, false]);
  search.close();
});

onBothEngines('the words of a first run are searched by their maker alone', async ({ db }) => {
  const { search, names } = await searchOf(db);
  const intent = 'read the diary of zenobia';
  const { capability } = await remember(
    registryOf(db),
    ana,
    learned('aa', { name: 'fs:diary', intent, description: 'Read a diary' }),
  );
  assert.deepEqual(await names(ana, 'zenobia'), ['fs:diary']);
  await rename(registryOf(db), ana, capability.fqdn, { visibility: 'project' });
  assert.deepEqual(await names(ben, 'diary'), ['fs:diary']);
  assert.deepEqual(await names(ben, 'zenobia'), []);
  search.close();
});

onBothEngines('changes that concern nobody here cost nothing', async ({ db }) => {
  let asked = 0;
  const query: Db['query'] = (sql, params, how) => {
    asked += 1;
    return db.query(sql, params, how);
  };
  const { search, names } = await searchOf({ ...handlesOf(db), query });
  await names(ana, 'anything');
  asked = 0;
  const elsewhere = { org: 'far', project: 'off', fqdn: 'far.off.a.b.0000' };
  const changes: RegistryChange[] = [
    { ...elsewhere, what: 'named', only: 'zoe' },
    { ...scope, what: 'declared' },
    { ...scope, what: 'rerouted' },
  ];
  for (const change of changes) search.registryChanged(change);
  await names(ana, 'anything');
  assert.equal(asked, 0);
  search.close();
});

/** The handle without its `query`, whose methods are of a class. */
function handlesOf(db: Db): Omit<Db, 'query'> {
  return {
    engine: db.engine,
    notify: (channel, payload) => db.notify(channel, payload),
    transaction: (body) => db.transaction(body),
    listen: (channel, hear, onGap) => db.listen(channel, hear, onGap),
    close: () => db.close(),
  };
}
