import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { carryOver } from '../acts/carry-over.ts';
import { history, rename, resolve, update } from '../index.ts';
import { versionWarnings } from '../names/index.ts';
import { ana, ben, failureOf, learned, registryOf, saveCapability } from '../testing.ts';

let made = 0xf000;

function next(db: Db, name: string, versionTag?: string, code = `return ${++made};`) {
  const hash = (++made).toString(16).padStart(64, 'f');
  return update(registryOf(db), ana, name, { ...learned(hash, { code }), routing: 'local', versionTag });
}

async function versionAt(db: Db, name: string): Promise<number | string> {
  try {
    return (await resolve(db, ana, name)).version;
  } catch (error) {
    return (error as Error).message;
  }
}

onBothEngines('FR041 13.6-AC2 an update makes the next version and keeps the one before', async ({ db }) => {
  const first = await saveCapability(db, ana, 'my-reader');
  const second = await next(db, 'my-reader', undefined, 'return 2;');
  assert.deepEqual([second.version, second.code, second.fqdn], [2, 'return 2;', first.fqdn]);
  assert.equal((await resolve(db, ana, 'my-reader@v1')).code, first.code);
  assert.equal((await resolve(db, ana, 'my-reader')).code, 'return 2;');
  assert.equal((await resolve(db, ana, 'my-reader@latest')).code, 'return 2;');
});

onBothEngines('FR042 FR043 a suffix picks the version, in every spelling of the name', async ({ db }) => {
  const { fqdn, id } = await saveCapability(db, ana, 'my-reader');
  await rename(registryOf(db), ana, 'my-reader', { newName: 'fs:read_json' });
  await next(db, fqdn, 'v1.2.0');
  await next(db, fqdn, '1.10.0');
  await next(db, fqdn, 'v2.0.0');
  await next(db, fqdn);
  const spellings = [
    fqdn,
    id,
    'fs:read_json',
    'my-reader',
    'cap:fs:read_json',
    'mcp__fs__read_json',
    'fs:readJson',
  ];
  for (const spelling of [...spellings, 'acme.web:fs:read_json', fqdn.replace(/\.\w+$/, '')]) {
    // v1 is a major number here: two tags have it.
    assert.equal(await versionAt(db, `${spelling}@v1`), 3, spelling);
    assert.equal(await versionAt(db, `${spelling}@1`), 1);
    assert.equal(await versionAt(db, `${spelling}@v1.2.0`), 2);
    assert.equal(await versionAt(db, `${spelling}@v1.10.0`), 3);
    assert.equal(await versionAt(db, `${spelling}@v2`), 4);
    assert.equal(await versionAt(db, `${spelling}@v5`), 5);
    assert.equal(await versionAt(db, `${spelling}@latest`), 5);
    assert.equal(await versionAt(db, `${spelling}@v6`), `Version v6 not found for ${spelling}`);
  }
});

onBothEngines('13.6-AC8 what is no version there is says so in the words of the contract', async ({ db }) => {
  await saveCapability(db, ana, 'my-reader');
  for (const version of [
    'v5',
    'v0',
    'v1.0.0',
    'V1',
    'v',
    '0',
    '2',
    'nope',
    '',
    'v99999999999',
    '2020-01-01',
    '2025-02-30',
    '0000-01-01',
    'v1; drop table x',
    '1.2.3',
  ])
    assert.equal(
      await failureOf(resolve(db, ana, `my-reader@${version}`)),
      `version_not_found: Version ${version} not found for my-reader`,
    );
  // A capability that one may not see has no versions either.
  assert.equal(
    await failureOf(resolve(db, ben, 'my-reader@v1')),
    'capability_not_found: Capability not found: my-reader@v1',
  );
});

onBothEngines('13.6-AC7 a date picks what was current at the end of that day in UTC', async ({ db }) => {
  const { fqdn } = await saveCapability(db, ana, 'dated');
  const { rows } = await db.query<{ id: string }>('select pattern_id as id from capability_versions');
  const add = (version: number, at: string) =>
    db.query(
      `insert into capability_versions (capability_fqdn, version, pattern_id, updated_by, updated_at)
       values ($1, $2, $3, 'ana', $4)`,
      [fqdn, version, rows[0]?.id, at],
    );
  await add(2, '2025-12-20T12:00:00Z');
  await add(3, '2025-12-22T00:00:00Z');
  await add(4, '2025-12-22T23:59:59.999Z');
  await add(5, '2025-12-23T00:00:00Z');
  const expected = { '2025-12-20': 2, '2025-12-21': 2, '2025-12-22': 4, '2025-12-23': 5, '2026-01-01': 5 };
  for (const [day, version] of Object.entries(expected))
    assert.equal(await versionAt(db, `dated@${day}`), version, day);
  assert.match(String(await versionAt(db, 'dated@2025-12-19')), /^Version 2025-12-19 not found/);
});

onBothEngines('13.6-AC10 the database itself refuses to change or drop what was kept', async ({ db }) => {
  const { fqdn } = await saveCapability(db, ana, 'kept');
  for (const sql of [
    `update capability_versions set change_summary = 'x'`,
    'delete from capability_versions',
    'truncate capability_versions',
    `update workflow_pattern set code_snippet = 'x'`,
    'delete from workflow_pattern',
    'truncate workflow_pattern cascade',
    'delete from capability_records',
    `update capability_records set id = 'x' where id = '${fqdn}'`,
  ])
    await assert.rejects(db.query(sql), /append-only/, sql);
  assert.equal((await resolve(db, ana, 'kept')).fqdn, fqdn);
});

onBothEngines('a tag is given once, with or without its v, and is three numbers', async ({ db }) => {
  await saveCapability(db, ana, 'tagged');
  assert.equal((await next(db, 'tagged', 'v1.2.0')).versionTag, 'v1.2.0');
  assert.equal(
    await failureOf(next(db, 'tagged', '1.2.0')),
    'version_taken: Version 1.2.0 already exists for tagged',
  );
  for (const tag of ['1', 'v1.2', 'latest', 'v1.2.0-beta', '1.2.3.4', ' v1.2.3', "v1.2.3'"])
    assert.match(await failureOf(next(db, 'tagged', tag)), /^bad_request: Invalid version tag/);
  assert.equal(await versionAt(db, 'tagged'), 2);
});

onBothEngines(
  'FR019 13.6-AC9 history tells every version, newest first, with unified diffs',
  async ({ db }) => {
    const first = await saveCapability(db, ana, 'told');
    await next(db, 'told', 'v1.0.0', `${first.code}\n// more`);
    const versions = await history(db, ana, await resolve(db, ana, 'told'));
    assert.deepEqual(
      versions.map(({ version, version_tag }) => [version, version_tag]),
      [
        [2, 'v1.0.0'],
        [1, null],
      ],
    );
    assert.equal(versions[0]?.diff, `--- told@1\n+++ told@2\n@@ -1,1 +1,2 @@\n ${first.code}\n+// more\n`);
    assert.equal(versions[1]?.diff, `--- /dev/null\n+++ told@1\n@@ -0,0 +1,1 @@\n+${first.code}\n`);
    assert.equal(versions[1]?.change_summary, 'created');
  },
);

onBothEngines(
  'code is shown with the names that capabilities have now, and none that are hidden',
  async ({ db }) => {
    const inner = await saveCapability(db, ana, 'inner', 'public');
    const secret = await saveCapability(db, ana, 'secret');
    const code = `await mcp["${secret.fqdn}@v1"](args);\nreturn mcp["${inner.fqdn}@v1"](await mcp["${inner.fqdn}"](args));`;
    await saveCapability(db, ana, 'outer', 'public');
    await next(db, 'outer', undefined, code);
    await rename(registryOf(db), ana, 'inner', { newName: 'deep:inner' });
    const seen = async (who: typeof ana) =>
      (await history(db, who, await resolve(db, who, 'outer')))[0]?.diff.match(/mcp\S+?\(/g);
    assert.deepEqual(await seen(ana), ['mcp["secret@v1"](', 'mcp["deep:inner@v1"](', 'mcp.deep.inner(']);
    assert.deepEqual(await seen(ben), [
      'mcp["hidden:capability@v1"](',
      'mcp["deep:inner@v1"](',
      'mcp.deep.inner(',
    ]);
  },
);

onBothEngines('tags resolve by the order of version numbers, whatever they are', async ({ db }) => {
  const tag = fc.tuple(fc.nat(3), fc.nat(12), fc.nat(12));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(tag, { selector: String, minLength: 1, maxLength: 6 }), async (tags) => {
      const { fqdn } = await saveCapability(db, ana);
      for (const one of tags) await next(db, fqdn, `v${one.join('.')}`);
      for (const [index, one] of tags.entries())
        assert.equal(await versionAt(db, `${fqdn}@v${one.join('.')}`), index + 2);
      for (let n = 0; n < 10; n++) {
        const ofMajor = tags.filter(([major]) => major === n).sort(([, a, b], [, c, d]) => c - a || d - b);
        const byTag = ofMajor[0] && tags.indexOf(ofMajor[0]) + 2;
        const byNumber = n >= 1 && n <= tags.length + 1 ? n : `Version v${n} not found for ${fqdn}`;
        assert.equal(await versionAt(db, `${fqdn}@v${n}`), byTag ?? byNumber);
      }
    }),
    { numRuns: 25 },
  );
});

onBothEngines('going back to an old version’s code brings back its parameters', async ({ db }) => {
  const first = await saveCapability(db, ana, 'back');
  await next(db, 'back', undefined, 'return 2;');
  const bare = { type: 'object', properties: { path: {} }, required: ['path'] };
  const { parametersSchema, version } = await update(registryOf(db), ana, 'back', {
    ...learned('abcd', { code: first.code, parametersSchema: bare }),
    routing: 'local',
  });
  assert.equal(version, 3);
  assert.deepEqual(parametersSchema, first.parametersSchema);
});

test('a parameter that stays keeps its default, unless its type is another', () => {
  const former = {
    type: 'object',
    properties: { a: { type: 'string', default: 'x' }, b: { type: 'string', default: 'y' } },
  };
  const next = {
    type: 'object',
    properties: { a: {}, b: { type: 'number' }, c: {} },
    required: ['a', 'b', 'c'],
  };
  assert.deepEqual(carryOver(former, next), {
    type: 'object',
    properties: { a: { type: 'string', default: 'x' }, b: { type: 'number' }, c: {} },
    required: ['b', 'c'],
  });
});

onBothEngines('@v1 says which other version it could mean, unless that has the same code', async ({ db }) => {
  const { code } = await saveCapability(db, ana, 'trap');
  const otherAt = async (version: string) => (await resolve(db, ana, `trap${version}`)).otherVersion;
  assert.equal(await otherAt('@v1'), undefined);
  await next(db, 'trap', 'v1.1.0');
  assert.equal(await otherAt('@v1'), 1);
  assert.equal((await resolve(db, ana, 'trap@1')).code, code);
  for (const version of ['@1', '@2', '@v2', '@v1.1.0', '@latest', ''])
    assert.equal(await otherAt(version), undefined);
  const [warning] = versionWarnings(await resolve(db, ana, 'trap@v1'));
  assert.match(warning ?? '', /^"trap@v1" means version 2 \(v1\.1\.0\).* write "trap@1" to mean it\.$/);
  // A tag on version 1 itself is no trap.
  await saveCapability(db, ana, 'plain');
  await next(db, 'plain', 'v2.0.0');
  assert.equal((await resolve(db, ana, 'plain@v2')).otherVersion, undefined);
});

onBothEngines('an unknown version is answered with the newest ones', async ({ db }) => {
  await saveCapability(db, ana, 'fs:read_json');
  await next(db, 'fs:read_json', 'v1.2.0');
  for (const version of ['@7', '@v9', '@nonsense']) {
    const { hint } = await resolve(db, ana, `fs:read_json${version}`).catch((error) => error);
    assert.match(hint, /^The newest are fs:read_json@2 \(v1\.2\.0\), fs:read_json@1; cap_history/, version);
  }
});
