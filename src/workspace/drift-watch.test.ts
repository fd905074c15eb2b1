import assert from 'node:assert/strict';
import type { Config } from '../config/index.ts';
import { openLog } from '../log.ts';
import { remember, resolve } from '../registry/index.ts';
import { ana, learned, registryOf } from '../registry/testing.ts';
import { onBothEngines } from '../store/testing.ts';
import { eventually } from '../testing/wait.ts';
import type { Catalog, Upstream } from '../upstream/index.ts';
import { DriftWatch } from './drift-watch.ts';

const READ = { type: 'object', properties: { path: { type: 'string' } } };
const log = openLog({ level: 'silent' });
const config = { scope: { org: ana.org, project: ana.project } } as Config;

const offering = (...tools: object[]) => ({ tools }) as unknown as Catalog;

/** As much of a server as is looked at. */
function server(state: Upstream['state'], ...tools: object[]): Upstream {
  return { name: 'fs', state, catalog: offering(...tools) } as unknown as Upstream;
}

onBothEngines('only a live list is looked at, always the latest', async ({ db }) => {
  const read = { name: 'read', inputSchema: READ };
  const staleOf = async () => (await resolve(db, ana, 'my:read')).stale;
  const look = async (...upstreams: Upstream[]) => {
    const watch = new DriftWatch({ db, config, log });
    for (const upstream of upstreams) watch.look(upstream);
    await watch.close();
  };
  await look(server('ready', read));
  const dependencies = [{ callee: 'fs:read', schema: READ, passed: [{}] }];
  await remember(registryOf(db), ana, learned('ab', { name: 'my:read', dependencies }));
  for (const state of ['starting', 'down', 'stopped'] as const) await look(server(state));
  assert.equal(await staleOf(), null);
  await look(server('ready'));
  assert.equal(await staleOf(), 'tool "fs:read" is gone');

  const changing = server('ready', read);
  const watch = new DriftWatch({ db, config, log });
  watch.look(changing);
  changing.catalog = offering();
  watch.look(changing);
  changing.catalog = offering(read, { name: 'more', inputSchema: READ });
  watch.look(changing);
  const seen = async () =>
    (await db.query(`select 1 from observed_tools where tool = 'more'`)).rows.length > 0;
  await eventually(seen, 'the last list is seen');
  await watch.close();
  assert.equal(await staleOf(), null);
});

onBothEngines('the schemas are compared as clients are shown them', async ({ db }) => {
  // A choice at the root is listed as one plain object.
  const choice = { anyOf: [READ, { ...READ, required: ['path'] }] };
  const watch = new DriftWatch({ db, config, log });
  watch.look(server('ready', { name: 'read', inputSchema: choice }));
  await watch.close();
  const { rows } = await db.query<{ schema: object }>('select schema from tool_schemas');
  assert.deepEqual(rows, [{ schema: { properties: READ.properties, required: [], type: 'object' } }]);
});
