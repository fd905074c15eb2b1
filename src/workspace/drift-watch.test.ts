import assert from 'node:assert/strict';
import { openLog } from '../log.ts';
import { remember, resolve } from '../registry/index.ts';
import { ana, learned, registryOf } from '../registry/testing.ts';
import { onBothEngines } from '../store/testing.ts';
import { eventually } from '../testing/wait.ts';
import type { Catalog, Upstream } from '../upstream/index.ts';
import { DriftWatch } from './drift-watch.ts';

const READ = { type: 'object', properties: { path: { type: 'string' } } };
const log = openLog({ level: 'silent' });
const scope = { org: ana.org, project: ana.project };

const offering = (...tools: object[]) => ({ tools }) as unknown as Catalog;

/** The part of a server that is reported. */
function server(state: Upstream['state'], ...tools: object[]): Upstream {
  return { name: 'fs', state, catalog: offering(...tools) } as unknown as Upstream;
}

onBothEngines('only live lists are reported, the latest one last', async ({ db }) => {
  const read = { name: 'read', inputSchema: READ };
  const staleOf = async () => (await resolve(db, ana, 'my:read')).stale;
  const report = async (...upstreams: Upstream[]) => {
    const watch = new DriftWatch({ db, scope, log });
    for (const upstream of upstreams) watch.report(upstream);
    await watch.close();
  };
  await report(server('ready', read));
  const dependencies = [{ callee: 'fs:read', schema: READ, passed: [{}] }];
  await remember(registryOf(db), ana, learned('ab', { name: 'my:read', dependencies }));
  for (const state of ['starting', 'down', 'stopped'] as const) await report(server(state));
  assert.equal(await staleOf(), null);
  await report(server('ready'));
  assert.equal(await staleOf(), 'tool "fs:read" is gone');

  const changing = server('ready', read);
  const watch = new DriftWatch({ db, scope, log });
  watch.report(changing);
  changing.catalog = offering();
  watch.report(changing);
  changing.catalog = offering(read, { name: 'more', inputSchema: READ });
  watch.report(changing);
  const seen = async () =>
    (await db.query(`select 1 from observed_tools where tool = 'more'`)).rows.length > 0;
  await eventually(seen, 'the last list is seen');
  await watch.close();
  assert.equal(await staleOf(), null);
});

onBothEngines('schemas are compared in the form that clients are shown', async ({ db }) => {
  // A choice at the root is listed as one plain object.
  const choice = { anyOf: [READ, { ...READ, required: ['path'] }] };
  const watch = new DriftWatch({ db, scope, log });
  watch.report(server('ready', { name: 'read', inputSchema: choice }));
  await watch.close();
  const { rows } = await db.query<{ schema: object }>('select schema from tool_schemas');
  assert.deepEqual(rows, [{ schema: { properties: READ.properties, required: [], type: 'object' } }]);
});
