import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { find, history, query, resolve, summarize } from '../index.ts';
import { findServer, registerServer } from '../servers/index.ts';
import { ana, cyd, dan, failureOf, saveCapability } from '../testing.ts';

const facts = { name: 'files', routing: 'local', codeUrl: 'https://example.com/files' } as const;

onBothEngines(
  'FR053 FR054 13.8-AC1 AC2 AC3 AC4 AC7 AC8 servers are records, and three are there from the start',
  async ({ db }) => {
    for (const name of ['filesystem', 'shell', 'sqlite']) {
      const found = await findServer(db, dan, `mcp:${name}`);
      assert.ok(found);
      const told = summarize(found);
      assert.deepEqual([told.type, told.visibility, told.routing], ['mcp-server', 'public', 'local']);
      assert.match(told.code_url ?? '', /^https:\/\//);
    }
    await registerServer(db, ana, { ...facts, version: '1.2.0' });
    const found = await findServer(db, ana, 'mcp:files');
    assert.match(found?.fqdn ?? '', /^acme\.web\.mcp\.files\.[0-9a-f]{8}$/);
    assert.deepEqual(
      [found?.name, found?.version, found?.versionTag, found?.codeUrl],
      ['mcp:files', 1, '1.2.0', facts.codeUrl],
    );
    assert.equal((await findServer(db, ana, found?.fqdn ?? ''))?.fqdn, found?.fqdn);
    // A query lists it only when asked for servers.
    assert.equal((await query(db, ana, { type: 'mcp-server' })).total, 4);
    assert.equal((await query(db, ana, {})).total, 0);
    assert.equal(await find(db, ana, 'mcp:files'), undefined);
  },
);

onBothEngines('FR055 13.8-AC5 a server has versions, as it says them', async ({ db }) => {
  for (const version of ['1.2.0', '1.2.0', '1.3.0', undefined, '1.2.0', 'odd'])
    await registerServer(db, ana, { ...facts, version });
  const at = async (name: string) => (await findServer(db, ana, name))?.version;
  assert.deepEqual(
    [await at('mcp:files@v1.2.0'), await at('mcp:files@v1.3.0'), await at('mcp:files')],
    [1, 2, 3],
  );
  assert.equal(
    await failureOf(findServer(db, ana, 'mcp:files@v9.9.9')),
    'version_not_found: Version v9.9.9 not found for mcp:files',
  );
  const found = await findServer(db, ana, 'mcp:files');
  assert.ok(found);
  assert.equal((await history(db, ana, found)).length, 3);
});

onBothEngines('FR056 13.8-AC6 a server of another org that is not public does not exist', async ({ db }) => {
  await registerServer(db, ana, { ...facts, visibility: 'org' });
  assert.ok(await findServer(db, cyd, 'mcp:files'));
  assert.equal(await findServer(db, dan, 'mcp:files'), undefined);
});

onBothEngines('FR058 FR059 a server whose routing changes takes along what uses it', async ({ db }) => {
  await registerServer(db, ana, { ...facts, name: 'fs' });
  await saveCapability(db, ana, 'uses:fs');
  assert.equal((await resolve(db, ana, 'uses:fs')).routing, 'local');
  await registerServer(db, ana, { ...facts, name: 'fs', routing: 'cloud' });
  assert.equal((await resolve(db, ana, 'uses:fs')).routing, 'cloud');
});

onBothEngines('a server that many sessions register at once has one record', async ({ db, again }) => {
  const other = await again();
  await Promise.all(
    [db, other, db, other].map((one) => registerServer(one, ana, { ...facts, version: '1.0.0' })),
  );
  const { rows } = await db.query(
    "select version from capability_versions where capability_fqdn like 'acme.%'",
  );
  assert.equal(rows.length, 1);
});
