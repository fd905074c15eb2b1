import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsWithArguments, parse } from '../../code/testing.ts';
import type { Db } from '../../store/index.ts';
import { freshFolder, onBothEngines } from '../../store/testing.ts';
import { dependenciesOf } from '../caching/index.ts';
import { describe, history, remember, rename, resolve, retire, verifySignature } from '../index.ts';
import { observeTools } from '../servers/index.ts';
import { ana, ben, cyd, dan, failureOf, registryOf } from '../testing.ts';
import { exportBundle } from './export.ts';
import { bundledCapability, contentOf } from './forging.testing.ts';
import { importBundle } from './import.ts';
import { printBundle, readBundle } from './read-bundle.ts';
import { exported, importing, learnedFrom, saveCode, saveVersion, strangerKeys } from './testing.ts';
import { TrustedKeys } from './trusted-keys.ts';

/** `report:make` calls `fs:load`, of which it pins a former version too, and an unnamed one. */
async function family(db: Db): Promise<void> {
  const load = await saveCode(db, ana, 'fs:load', 'return mcp.fs.read({ path: args.path });');
  await saveVersion(db, ana, 'fs:load', 'return [await mcp.fs.read({ path: args.path })];', 'v1.0.0');
  await saveVersion(db, ana, 'fs:load', 'return { all: await mcp.fs.read({ path: args.path }) };', 'v2.1.0');
  const unnamed = await saveCode(db, ana, undefined, 'return 1 + 1;');
  await saveCode(
    db,
    ana,
    'report:make',
    `const a = await mcp["${load}"]({});\nconst b = await mcp["${load}@v1"]({});\nreturn [a, b, await mcp["${unnamed}"]({})];`,
  );
}

onBothEngines(
  'an import holds all that the exported capabilities call, with history and pins',
  async ({ db }) => {
    const registry = registryOf(db);
    await family(db);
    await rename(registryOf(db), ana, 'report:make', {
      description: 'makes a report',
      tags: ['daily', 'pdf'],
    });
    const text = await exported(db, ana, 'report:make');
    const answer = await importBundle(registry, dan, text, importing());

    assert.equal(answer.status, 'imported');
    assert.equal(answer.signer.known, 'own');
    assert.deepEqual(
      answer.capabilities.map(({ name, version, what, asked_for }) => [
        name.replace(/_.*/, ''),
        version,
        what,
        asked_for,
      ]),
      [
        ['fs:load', 3, 'created', false],
        ['report:make', 1, 'created', true],
        ['unnamed', 1, 'created', false],
      ],
    );
    assert.deepEqual(answer.tools, [{ name: 'fs:read', connected: true }]);

    const made = await verifySignature(registry, dan, await resolve(db, dan, 'report:make'));
    assert.match(made.fqdn, /^elsewhere\.web\.report\.make\./);
    const [load, pinned, unnamed] = [...made.code.matchAll(/mcp\["([^"]+)"\]/g)].map(
      ([, name]) => name as string,
    );
    assert.match(load as string, /^elsewhere\.web\.fs\.load\.[0-9a-f]{4}$/);
    assert.equal(pinned, `${load}@v1`);
    assert.match(unnamed as string, /^elsewhere\.web\.util\.exec_/);
    assert.deepEqual(made.toolsUsed.toSorted(), [load, unnamed].toSorted());
    // `@v1` means the tag v1.0.0 here as it did there.
    assert.match(
      (await verifySignature(registry, dan, await resolve(db, dan, pinned as string))).code,
      /^return \[/,
    );
    assert.match(
      (await verifySignature(registry, dan, await resolve(db, dan, 'fs:load@v2'))).code,
      /^return \{/,
    );

    const told = await describe(registry, dan, made);
    assert.equal(told.forked_from, (await resolve(db, ana, 'report:make')).fqdn);
    assert.deepEqual(
      [told.description, told.tags, told.created_by, told.verified, told.signature_valid, told.visibility],
      ['makes a report', ['daily', 'pdf'], 'dan', false, true, 'private'],
    );
    const [there, here] = [await resolve(db, ana, 'fs:load'), await resolve(db, dan, 'fs:load')];
    assert.equal(here.routing, 'local');
    const facts = async (who: typeof ana, of: typeof there) =>
      (await history(db, who, of)).map(({ diff, ...facts }) => facts);
    assert.deepEqual(await facts(dan, here), await facts(ana, there));
  },
);

onBothEngines('a second import changes nothing and reports it, also under other names', async ({ db }) => {
  const registry = registryOf(db);
  await family(db);
  const text = await exported(db, ana, 'report:make');
  const first = await importBundle(registry, dan, text, importing({ prefix: 'ana' }));
  const count = async () => (await db.query('select id from capability_records')).rows.length;
  const before = await count();
  const again = await importBundle(registry, dan, text, importing({ prefix: 'ana' }));

  assert.equal(await count(), before);
  assert.deepEqual(
    again.capabilities,
    first.capabilities.map((one) => ({ ...one, what: 'unchanged' })),
  );
  assert.deepEqual(
    first.capabilities.map(({ name }) => name).filter((name) => !name.startsWith('unnamed')),
    ['ana:fs:load', 'ana:report:make'],
  );
  // At its origin it exists already.
  const home = await importBundle(registry, ana, text, importing());
  assert.deepEqual([...new Set(home.capabilities.map(({ what }) => what))], ['unchanged']);
  assert.equal(await count(), before);
});

onBothEngines('a newer bundle adds its new versions to imports that nobody changed', async ({ db }) => {
  const registry = registryOf(db);
  await family(db);
  await importBundle(registry, dan, await exported(db, ana, 'report:make'), importing({ prefix: 'ana' }));
  await importBundle(registry, ben, await exported(db, ana, 'report:make'), importing({ prefix: 'ana' }));
  const extra = await saveCode(db, ana, 'fs:extra', 'return "extra";');
  await saveVersion(db, ana, 'fs:load', `return mcp["${extra}"]({});`, 'v3.0.0');
  const newer = await exported(db, ana, 'report:make');

  await rename(registry, dan, 'ana:fs:load', { caching: { cachePolicy: 'memoize', ttl: 9 } });
  const before = await resolve(db, dan, 'ana:fs:load');
  const { capabilities } = await importBundle(registry, dan, newer, importing({ prefix: 'ana' }));
  assert.deepEqual(
    capabilities.map(({ name, version, what }) => [name.replace(/_.*/, ''), version, what]),
    [
      ['ana:fs:extra', 1, 'created'],
      ['ana:fs:load', 4, 'updated'],
      ['ana:report:make', 1, 'unchanged'],
      ['unnamed', 1, 'unchanged'],
    ],
  );
  const after = await verifySignature(registry, dan, await resolve(db, dan, 'ana:fs:load'));
  assert.deepEqual([after.fqdn, after.version, after.versionTag], [before.fqdn, 4, 'v3.0.0']);
  // New code, about which nobody has decided.
  assert.deepEqual([before.cachePolicy, after.cachePolicy], ['memoize', 'none']);
  assert.match(after.code, /^return mcp\["elsewhere\.web\.ana\.fs_extra/);
  assert.equal(
    (await verifySignature(registry, dan, await resolve(db, dan, 'ana:fs:load@v2'))).versionTag,
    'v2.1.0',
  );
  const again = await importBundle(registry, dan, newer, importing({ prefix: 'ana' }));
  assert.deepEqual([...new Set(again.capabilities.map(({ what }) => what))], ['unchanged']);

  // Ben has changed his import, so it no longer grows. A capability that only began alike is not touched either.
  await saveVersion(db, ben, 'ana:fs:load', 'return "of ben";');
  const refused = /^name_taken: Capability names? 'ana:fs:load', 'ana:report:make' already/;
  assert.match(await failureOf(importBundle(registry, ben, newer, importing({ prefix: 'ana' }))), refused);
  await saveCode(db, cyd, 'fs:load', 'return mcp.fs.read({ path: args.path });');
  assert.match(
    await failureOf(importBundle(registry, cyd, newer, importing())),
    /^name_taken: Capability name 'fs:load' already/,
  );
});

onBothEngines(
  'an import that does not fit the local tools is stale from the start, and says so',
  async ({ db }) => {
    const registry = registryOf(db);
    const code = 'return mcp.fs.read({ path: args.path });';
    const takesPath = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const takesMore = {
      ...takesPath,
      properties: { ...takesPath.properties, key: {} },
      required: ['path', 'key'],
    };
    const dependencies = dependenciesOf(callsWithArguments(parse(code), {}), () => ({
      callee: 'fs:read',
      schema: takesPath,
    }));
    const { capability } = await remember(registry, ana, {
      ...learnedFrom(code, { name: 'fs:load' }),
      dependencies,
    });
    await saveCode(db, ana, 'report:make', `return mcp["${capability.fqdn}"]({});`);
    const { text, content } = await exportBundle(registry, ana, ['report:make']);
    const load = content.capabilities.find(({ name }) => name === 'fs:load');
    assert.deepEqual(Object.keys(load?.versions[0]?.written_for ?? {}), ['fs:read']);

    const imported = async (who: typeof ana) =>
      (await importBundle(registry, who, text, importing())).capabilities.map(({ stale }) => stale);
    assert.deepEqual(await imported(cyd), [undefined, undefined]);
    await observeTools(db, dan, 'fs', [{ name: 'read', schema: takesMore }]);
    const [own, inherited] = await imported(dan);
    assert.match(own ?? '', /^tool "fs:read" .*key/);
    assert.match(inherited ?? '', /^through a capability that it calls: tool "fs:read"/);
    await observeTools(db, dan, 'fs', [{ name: 'read', schema: takesPath }]);
    assert.deepEqual(await imported(dan), [undefined, undefined]);
    assert.equal((await resolve(db, dan, 'report:make')).stale, null);
  },
);

onBothEngines('a dry run stores nothing', async ({ db }) => {
  await family(db);
  const text = await exported(db, ana);
  const answer = await importBundle(registryOf(db), dan, text, importing({ dryRun: true }));
  assert.equal(answer.status, 'dry_run');
  assert.equal(answer.capabilities.length, 3);
  assert.equal(
    await failureOf(resolve(db, dan, 'fs:load')),
    'capability_not_found: Capability not found: fs:load',
  );
});

onBothEngines('the error lists all taken names, and --rename and --prefix help', async ({ db }) => {
  const registry = registryOf(db);
  await family(db);
  const text = await exported(db, ana, 'report:make');
  await saveCode(db, dan, 'fs:load', 'return "mine";');
  await saveCode(db, dan, 'report:make', 'return "mine too";');
  const before = (await db.query('select id from capability_records')).rows.length;
  assert.equal(
    await failureOf(importBundle(registry, dan, text, importing())),
    "name_taken: Capability names 'fs:load', 'report:make' already exist in scope elsewhere.web",
  );
  const renamed = { rename: { 'fs:load': 'fs:load2', 'report:make': 'report:make' } };
  assert.equal(
    await failureOf(importBundle(registry, dan, text, importing(renamed))),
    "name_taken: Capability name 'report:make' already exists in scope elsewhere.web",
  );
  assert.match(
    await failureOf(importBundle(registry, dan, text, importing({ rename: { nope: 'x' } }))),
    /^bad_request: There is no "nope"/,
  );
  assert.match(
    await failureOf(importBundle(registry, dan, text, importing({ rename: { 'fs:load': 'report:make' } }))),
    /^bad_request: Two capabilities/,
  );
  assert.match(
    await failureOf(importBundle(registry, dan, text, importing({ rename: { 'fs:load': 'fs:read' } }))),
    /^name_taken: is a tool/,
  );
  assert.match(
    await failureOf(importBundle(registry, dan, text, importing({ prefix: 'mcp' }))),
    /^name_taken: "mcp:fs:load" is reserved/,
  );
  assert.match(
    await failureOf(importBundle(registry, dan, text, importing({ prefix: 'a b' }))),
    /^invalid_name/,
  );
  assert.equal((await db.query('select id from capability_records')).rows.length, before);

  await importBundle(registry, dan, text, importing({ prefix: 'of-ana', rename: { 'fs:load': 'loader' } }));
  await resolve(db, dan, 'loader');
  await resolve(db, dan, 'of-ana:report:make');
});

onBothEngines('a stranger’s bundle needs --trust, and a trusted key’s does not', async ({ db, t }) => {
  const registry = registryOf(db);
  await family(db);
  const { content } = await exportBundle(registry, ana, ['report:make']);
  const stranger = await strangerKeys();
  const text = printBundle(stranger, content);
  const { fingerprint } = readBundle(text);
  const folder = join(freshFolder(t), 'trusted');
  const trusted = new TrustedKeys(folder);
  const act = (more: object) => importBundle(registry, dan, text, importing({ trusted, ...more }));

  const refused = await act({}).catch((error) => error);
  assert.equal(refused.code, 'key_untrusted');
  assert.ok(refused.message.includes(fingerprint) && refused.hint.includes(`--trust ${fingerprint}`));
  assert.match(await failureOf(act({ trust: stranger.id })), /^key_untrusted: .*, not with/);
  assert.match(await failureOf(act({ trust: 'f'.repeat(64), always: true })), /^key_untrusted/);
  assert.equal((await act({ dryRun: true })).signer.known, 'stranger');
  assert.match(await failureOf(resolve(db, dan, 'fs:load')), /^capability_not_found/);

  // This once.
  await act({ trust: fingerprint, prefix: 'once' });
  assert.match(await failureOf(act({})), /^key_untrusted/);
  // Neither a dry run nor a failed import makes a key trusted.
  await act({ trust: fingerprint, always: true, dryRun: true });
  await failureOf(act({ trust: fingerprint, always: true, prefix: 'a b' }));
  assert.match(await failureOf(act({})), /^key_untrusted/);
  await act({ trust: fingerprint, always: true });
  assert.deepEqual(readdirSync(folder), [`${fingerprint}.pub`]);
  assert.equal((await act({})).signer.known, 'trusted');
  // Imported versions are signed by this instance.
  await verifySignature(registry, dan, await resolve(db, dan, 'report:make'));
});

test('a trusted key counts by its content, not by its file name', async (t) => {
  const [one, other] = [await strangerKeys(), await strangerKeys()];
  const folder = join(freshFolder(t), 'trusted');
  const trusted = new TrustedKeys(folder);
  trusted.add(one.publicKey);
  assert.deepEqual(
    [trusted.has(one.publicKey), trusted.has(other.publicKey), trusted.has('nonsense')],
    [true, false, false],
  );
  const [file] = readdirSync(folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file as string), other.publicKey);
  assert.deepEqual([trusted.has(one.publicKey), trusted.has(other.publicKey)], [false, false]);
});

onBothEngines('an export holds only what the exporter sees, and only validly signed code', async ({ db }) => {
  const registry = registryOf(db);
  const mine = await saveCode(db, ana, 'ana:private', 'return 7;');
  await saveCode(db, ana, 'ana:open', `return mcp["${mine}"]({});`);
  await rename(registryOf(db), ana, 'ana:open', { visibility: 'org' });
  await saveCode(db, ben, 'ben:own', 'return 8;');

  assert.equal(
    await failureOf(exportBundle(registry, cyd, ['ana:private'])),
    'capability_not_found: Capability not found: ana:private',
  );
  assert.equal(
    await failureOf(exportBundle(registry, ben, ['ana:open'])),
    'capability_not_found: "ana:open" calls a capability that is retired, or not yours to see.',
  );
  assert.match(await failureOf(exportBundle(registry, ana, ['ana:open@v1'])), /^bad_request/);
  assert.match(await failureOf(exportBundle(registry, dan, [])), /^capability_not_found: You have named no/);
  assert.match(
    await failureOf(exportBundle(registry, ana, ['n*pe'])),
    /^capability_not_found: No capability matches: n\*pe/,
  );
  const names = async (who: typeof ana, ...asked: string[]) =>
    (await exportBundle(registry, who, asked)).content.capabilities.map(({ name }) => name).toSorted();
  assert.deepEqual(await names(ana), ['ana:open', 'ana:private']);
  assert.deepEqual(await names(ben), ['ben:own']);
  assert.deepEqual(await names(ana, 'ana:o*'), ['ana:open', 'ana:private']);
  assert.deepEqual(await names(ben, 'b?n:*'), ['ben:own']);

  await retire(registryOf(db), ana, 'ana:private', 30);
  assert.match(
    await failureOf(exportBundle(registry, ana, ['ana:open'])),
    /^capability_not_found: "ana:open" calls/,
  );
  await db.query('alter table workflow_pattern disable trigger user');
  await db.query(
    `update workflow_pattern set code_snippet = 'return "evil";' where code_snippet = 'return 8;'`,
  );
  await db.query('alter table workflow_pattern enable trigger user');
  assert.match(await failureOf(exportBundle(registry, ben, [])), /^signature_invalid/);
});

onBothEngines('text that looks like a secret is not exported', async ({ db }) => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await saveCode(db, ana, 'leaks:code', `return "${token}";`);
  assert.match(await failureOf(exported(db, ana, 'leaks:code')), /^code_denied: "leaks:code@1" holds/);
  await saveCode(db, ana, 'leaks:words', 'return 5;');
  await rename(registryOf(db), ana, 'leaks:words', { description: `with ${token}` });
  const text = await exported(db, ana, 'leaks:words');
  assert.ok(!text.includes(token) && text.includes('with [hidden]'));
});

onBothEngines(
  'texts of a bundle are stored bounded, and without secrets that only their keys reveal',
  async ({ db }) => {
    const keys = await strangerKeys();
    const bundled = {
      ...bundledCapability('their:words', 'return 1;', 'return 2;'),
      description: 'x '.repeat(9000),
    };
    bundled.intent = `log in with password=hunter22 ${'y '.repeat(9000)}`;
    for (const version of bundled.versions) version.change_summary = `api_key=abcdefgh1 ${'z '.repeat(9000)}`;
    const text = printBundle(keys, contentOf(bundled));
    const trust = readBundle(text).fingerprint;
    await importBundle(registryOf(db), ana, text, importing({ trust }));
    const { rows } = await db.query(
      `select length(r.description) as description, left(r.intent, 26) as intent, left(v.change_summary, 16) as summary,
       length(v.change_summary) <= 2000 as bounded
     from capability_records r join capability_versions v on v.capability_fqdn = r.id where r.created_by = 'ana'`,
    );
    const stored = {
      description: 10_000,
      intent: 'log in with password=[hidd',
      summary: 'api_key=[hidden]',
      bounded: true,
    };
    assert.deepEqual(rows, [stored, stored]);
  },
);

onBothEngines('a failure at any statement of an import leaves nothing', async ({ db }) => {
  const registry = registryOf(db);
  await family(db);
  const text = await exported(db, ana);
  const snapshot = async () => {
    const tables = ['capability_records', 'capability_names', 'capability_versions', 'workflow_pattern'];
    return Promise.all(
      tables.map(async (name) => (await db.query(`select count(*) as n from ${name}`)).rows[0]),
    );
  };
  const before = await snapshot();
  let statements = 0;
  const failingAt = (limit: number): Db => ({
    ...db,
    query: (sql, params) => db.query(sql, params),
    transaction: (body) =>
      db.transaction((tx) => {
        statements = 0;
        return body({
          notify: (channel, payload) => tx.notify(channel, payload),
          query: (sql, params) => {
            statements += 1;
            if (statements === limit) throw new Error('the end');
            return tx.query(sql, params);
          },
        });
      }),
  });
  await importBundle({ ...registry, db: failingAt(-1) }, dan, text, importing({ dryRun: true }));
  const all = statements;
  assert.ok(all > 12, String(all));
  for (let limit = 1; limit <= all; limit += 1) {
    const act = importBundle({ ...registry, db: failingAt(limit) }, dan, text, importing());
    await assert.rejects(act, /the end/);
  }
  assert.deepEqual(await snapshot(), before);
  await importBundle(registry, dan, text, importing());
});

onBothEngines('two simultaneous imports of one bundle act as one', async ({ db, again }) => {
  await family(db);
  const text = await exported(db, ana);
  const others = [registryOf(db), registryOf(await again()), registryOf(await again())];
  const answers = await Promise.all(others.map((registry) => importBundle(registry, dan, text, importing())));
  const created = answers.flatMap(({ capabilities }) =>
    capabilities.filter(({ what }) => what === 'created'),
  );
  assert.equal(created.length, 3);
  const fqdns = answers.map(({ capabilities }) => capabilities.map(({ fqdn }) => fqdn).join());
  assert.equal(new Set(fqdns).size, 1);
});
