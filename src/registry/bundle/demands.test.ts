import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../store/testing.ts';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { observeTools } from '../servers/index.ts';
import { dan, registryOf } from '../testing.ts';
import type { BundledVersion, Content } from './bundle-schema.ts';
import { bundledCapability, contentOf, versionOf } from './forging.testing.ts';
import { importBundle } from './import.ts';
import { printBundle, readBundle } from './read-bundle.ts';
import { importing, strangerKeys } from './testing.ts';

const keys = await strangerKeys();
const CODE = 'return mcp.fs.read({ path: args.path, a: 1 });';
const itself = (count: number) => ({ anyOf: Array(count).fill({ $ref: '#/$defs/a' }) });
/** The schema that a stranger claims the tool had. */
const DEMANDS = {
  type: 'object',
  properties: { path: { $ref: '#/$defs/a' }, a: itself(6) },
  $defs: { a: itself(6) },
};

function bundleOf(count: number, more: Partial<BundledVersion>): Content {
  const version = (index: number) => versionOf(index + 1, CODE, { tools_used: ['fs:read'], ...more });
  const versions = Array.from({ length: count }, (_, index) => version(index));
  return contentOf({ ...bundledCapability('a:one', CODE), versions });
}

onBothEngines('a dry run bounds the cost of judging calls by a stranger’s schemas', async ({ db }) => {
  const takes = { type: 'object', properties: { path: { type: 'string' }, a: { type: 'string' } } };
  await observeTools(db, dan, 'fs', [{ name: 'read', schema: takes }]);
  const text = printBundle(keys, bundleOf(12, { written_for: { 'fs:read': DEMANDS } }));
  const ms = await leastCpuOf(async () => {
    const answer = await importBundle(registryOf(db), dan, text, importing({ dryRun: true }));
    assert.equal(answer.capabilities[0]?.version, 12);
  }, 3000);
  assert.ok(ms < 3000, `${ms} ms`);
});

test('parameters larger than PML stores are refused before they are parsed', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]),
  );
  const text = printBundle(keys, bundleOf(1, { parameters_schema: { type: 'object', properties } }));
  assert.throws(() => readBundle(text), {
    code: 'bundle_invalid',
    message: /parameters_schema: is too large/,
  });
});
