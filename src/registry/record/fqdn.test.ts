import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertValidName, listedName, splitName } from './capability-name.ts';
import { buildFqdn, parseFqdn } from './fqdn.ts';

const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const parts = fc.record(
  {
    org: part,
    project: part,
    namespace: part,
    action: part,
    hash: fc.stringMatching(/^[0-9a-f]{4,64}$/),
  },
  { noNullPrototype: true },
);

test('an FQDN is parsed back into what it was built from', () => {
  fc.assert(fc.property(parts, (fqdn) => assert.deepEqual(parseFqdn(buildFqdn(fqdn)), fqdn)));
});

test('any other text is no FQDN', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseFqdn(text);
      if (parsed) assert.equal(buildFqdn(parsed), text);
    }),
  );
  for (const text of ['', 'a.b.c.d', 'a.b.c.d.xyz', 'a.b.c.d.abc', 'a.b..d.abcd', 'a.b.c.d.abcd.e']) {
    assert.equal(parseFqdn(text), undefined, text);
  }
});

test('names are free words or namespace:action, and nothing else', () => {
  for (const name of ['read_config', 'myapp:fetch', 'my-tool-v2', 'a:b:c']) assertValidName(name);
  for (const name of ['', ' ', 'a b', 'a.b', 'x'.repeat(65), 'é', 'ns:', "a';drop"]) {
    assert.throws(
      () => assertValidName(name),
      (error: Error) =>
        error.message ===
        `Invalid capability name: "${name}". Must be alphanumeric with underscores, hyphens, and colons only.`,
    );
  }
});

test('each of ten thousand odd names is refused in the contract’s words, or accepted by every client', () => {
  const odd = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 70 }),
    fc.string({ unit: 'grapheme', maxLength: 70 }),
    fc.stringMatching(/^[A-Za-z0-9_:-]{1,66}$/),
    fc.stringMatching(/^(cap|pml|mcp|CAP)[:_]{1,2}[a-z]{0,8}$/),
  );
  fc.assert(
    fc.property(odd, (name) => {
      try {
        assertValidName(name);
      } catch (error) {
        assert.ok(['invalid_name', 'name_taken'].includes((error as { code: string }).code));
        return;
      }
      assert.match(name, /^[A-Za-z0-9_:-]{1,64}$/);
      const { namespace, action } = splitName(name, 'util');
      const fqdn = buildFqdn({ org: 'o', project: 'p', namespace, action, hash: 'abcd' });
      assert.equal(parseFqdn(fqdn)?.action, action);
      for (const digits of [0, 6, 12, 24])
        assert.match(listedName(name, 'util', digits), /^mcp__[A-Za-z0-9_-]{1,49}$/);
    }),
    { numRuns: 10_000 },
  );
});

test('the first colon splits a name; without one the namespace is that of the tools used', () => {
  assert.deepEqual(splitName('fs:read_json', 'util'), { namespace: 'fs', action: 'read_json' });
  assert.deepEqual(splitName('a:b:c', 'util'), { namespace: 'a', action: 'b_c' });
  assert.deepEqual(splitName('read', 'fs'), { namespace: 'fs', action: 'read' });
});

test('a listed name is portable and short, whatever the name', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,30}:[A-Za-z0-9_:-]{0,30}[a-z]$/), (name) => {
      assert.match(listedName(name, 'util'), /^mcp__[A-Za-z0-9_-]{1,49}$/);
    }),
  );
});
