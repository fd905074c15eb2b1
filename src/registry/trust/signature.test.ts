import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../canonical-json.ts';
import type { Db } from '../../store/index.ts';
import { freshFolder, onBothEngines } from '../../store/testing.ts';
import { describe, fork, Keys, resolve, update, verifySignature } from '../index.ts';
import { ana, ben, failureOf, learned, registryOf, saveCapability } from '../testing.ts';
import { signedText } from './signature.ts';

const noDatabase = { engine: 'pglite' } as Db;

/** Tampers with a row, past the triggers. */
async function behindTheBack(db: Db, table: string, sql: string, params: unknown[] = []): Promise<void> {
  await db.query(`alter table ${table} disable trigger user`);
  const { rowCount } = await db.query(sql, params);
  assert.ok(rowCount > 0);
  await db.query(`alter table ${table} enable trigger user`);
}

onBothEngines('every version that PML stored passes', async ({ db }) => {
  const registry = registryOf(db);
  const first = await saveCapability(db, ana, 'trust:me');
  await update(registry, ana, 'trust:me', { ...learned('beef', { code: 'return 2;' }), routing: 'local' });

  assert.equal((await verifySignature(registry, ana, first)).code, first.code);
  const second = await resolve(db, ana, 'trust:me');
  assert.equal((await verifySignature(registry, ana, second)).code, 'return 2;');
  const { signature, signature_valid } = await describe(registry, ana, second);
  assert.match(signature ?? '', /^ed25519:[0-9a-f]{16}:[\w-]{86}$/);
  assert.equal(signature_valid, true);
});

const TAMPERING = [
  ['workflow_pattern', `update workflow_pattern set code_snippet = 'return "evil";' where code_snippet = $1`],
  [
    'workflow_pattern',
    `update workflow_pattern set parameters_schema = '{"type":"object"}' where code_snippet = $1`,
  ],
  [
    'capability_versions',
    `update capability_versions v set signature = null from workflow_pattern p where p.id = v.pattern_id and p.code_snippet = $1`,
  ],
  [
    'capability_versions',
    `update capability_versions v set signature = o.signature
     from workflow_pattern p, capability_versions o join workflow_pattern q on q.id = o.pattern_id
     where p.id = v.pattern_id and p.code_snippet = $1 and q.code_snippet <> $1`,
  ],
  [
    'capability_versions',
    `update capability_versions v set pattern_id = q.id from workflow_pattern p, workflow_pattern q
     where p.id = v.pattern_id and p.code_snippet = $1 and q.code_snippet <> $1`,
  ],
  [
    'capability_records',
    `update capability_records r set pattern_id = q.id from workflow_pattern p, workflow_pattern q
     where p.id = r.pattern_id and p.code_snippet = $1 and q.code_snippet <> $1`,
  ],
] as const;

for (const [index, [table, sql]] of TAMPERING.entries()) {
  onBothEngines(`a row changed outside of PML refuses to run: ${table} (${index})`, async ({ db }) => {
    const registry = registryOf(db);
    const capability = await saveCapability(db, ana, 'trust:me');
    const other = await saveCapability(db, ana, 'trust:other');
    await behindTheBack(db, table, sql, [capability.code]);

    assert.match(
      await failureOf(verifySignature(registry, ana, capability)),
      /^signature_invalid: "trust:me@1" does not run/,
    );
    assert.match(await failureOf(fork(registry, ana, 'trust:me', 'trust:copy')), /^signature_invalid/);
    if (index !== 3) await verifySignature(registry, ana, other);
  });
}

onBothEngines('a record pointed back to an older version is refused, and can be updated', async ({ db }) => {
  const registry = registryOf(db);
  const capability = await saveCapability(db, ana, 'trust:me');
  const next = { ...learned('beef', { code: 'return 2;' }), routing: 'local' as const };
  await update(registry, ana, 'trust:me', next);
  await db.query(
    `update capability_records r set version = 1, pattern_id = v.pattern_id from capability_versions v
     where v.capability_fqdn = r.id and v.version = 1 and r.id = $1`,
    [capability.fqdn],
  );

  assert.match(
    await failureOf(verifySignature(registry, ana, capability)),
    /another version than the newest/,
  );
  const mended = await update(registry, ana, 'trust:me', { ...next, code: 'return 3;' });
  assert.equal(mended.version, 3);
  assert.equal((await verifySignature(registry, ana, mended)).code, 'return 3;');
});

onBothEngines('a retired or hidden capability no longer passes', async ({ db }) => {
  const capability = await saveCapability(db, ana, 'trust:me');
  assert.match(await failureOf(verifySignature(registryOf(db), ben, capability)), /^capability_not_found/);
  await db.query('update capability_records set retired_at = now() where id = $1', [capability.fqdn]);
  assert.match(await failureOf(verifySignature(registryOf(db), ana, capability)), /^capability_not_found/);
});

onBothEngines(
  'replicas on one PostgreSQL trust each other; a PGlite home trusts itself alone',
  async ({ db, t }) => {
    const [one, two] = [await Keys.open(freshFolder(t), db), await Keys.open(freshFolder(t), db)];
    const verdict = await two.verify('text', one.sign('text'));
    assert.equal(verdict, db.engine === 'postgres' ? 'valid' : 'unknown-key');
    assert.equal(await two.verify('other text', two.sign('text')), 'invalid');
    const stranger = await Keys.open(freshFolder(t), noDatabase);
    assert.equal(await two.verify('text', stranger.sign('text')), 'unknown-key');
    // A key under another's name.
    if (db.engine === 'pglite') return;
    await db.query('insert into instance_keys (id, public_key) values ($1, $2)', [
      stranger.id,
      two.publicKey,
    ]);
    assert.equal(await one.verify('text', stranger.sign('text')), 'unknown-key');
  },
);

test('the key is created once, readable by its owner alone', async (t) => {
  const home = freshFolder(t);
  const first = await Keys.open(home, noDatabase);
  const file = join(home, 'keys', 'instance.pem');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(home, 'keys')).mode & 0o777, 0o700);
  const text = readFileSync(file, 'utf8');
  const again = await Keys.open(home, noDatabase);
  assert.equal(again.id, first.id);
  assert.equal(readFileSync(file, 'utf8'), text);
  assert.equal(await again.verify('x', first.sign('x')), 'valid');
});

for (const [what, content] of [
  ['no key', 'hello'],
  ['nothing', ''],
] as const) {
  test(`a key file that holds ${what} is not replaced`, async (t) => {
    const home = freshFolder(t);
    mkdirSync(join(home, 'keys'));
    writeFileSync(join(home, 'keys', 'instance.pem'), content);
    assert.match(
      await failureOf(Keys.open(home, noDatabase)),
      /^home_unusable: The signing key .*instance\.pem/,
    );
    assert.equal(readFileSync(join(home, 'keys', 'instance.pem'), 'utf8'), content);
  });
}

test('a signature is valid for any order of keys, and for no other content', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (a, b) => {
      const [left, right] = [JSON.parse(a), JSON.parse(b)];
      assert.equal(
        canonicalJson(left) === canonicalJson(right),
        JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)),
      );
      assert.deepEqual(JSON.parse(canonicalJson(left)), left);
    }),
  );
  const signed = { fqdn: 'a.b.c.d.0000', version: 1, code: 'return 1;', parametersSchema: { a: 1, b: 2 } };
  assert.equal(signedText(signed), signedText({ ...signed, parametersSchema: { b: 2, a: 1 } }));
  for (const other of [
    { fqdn: 'a.b.c.d.0001' },
    { version: 2 },
    { code: 'return 2;' },
    { parametersSchema: {} },
  ])
    assert.notEqual(signedText({ ...signed, ...other }), signedText(signed));
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
