import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cacheKey, type KeyedVersion } from './cache-key.ts';

const version: KeyedVersion = { fqdn: 'acme.web.fs.read.abcd', version: 1, code: 'return 1', changedAt: '1' };
const who = { user: 'ana', org: 'acme', project: 'web' };

test('everything that makes calls differ is in the key', () => {
  const keys = [
    cacheKey(version, { a: 1 }, who),
    ...[{ fqdn: 'x' }, { version: 2 }, { code: 'return 2' }, { changedAt: '2' }].map((other) =>
      cacheKey({ ...version, ...other }, { a: 1 }, who),
    ),
    ...[{ user: 'ben' }, { org: 'x' }, { project: 'x' }, { agent: 'x' }, { admin: true }].map((other) =>
      cacheKey(version, { a: 1 }, { ...who, ...other }),
    ),
    ...[{ a: 2 }, { a: '1' }, { a: null }, {}, { a: 1, b: 1 }].map((args) => cacheKey(version, args, who)),
  ];
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.every((key) => key && /^[0-9a-f]{64}$/.test(key)));
});

test('equal arguments have one key, in whatever order; large ones have none', () => {
  const shuffled = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, one]) => [key, shuffled(one)]),
        );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (args) => {
      assert.equal(cacheKey(version, args, who), cacheKey(version, shuffled(args), who));
    }),
  );
  assert.equal(cacheKey(version, { text: 'x'.repeat(70_000) }, who), undefined);
});
