import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameIndex } from '../../access/index.ts';
import { Redactor } from '../../secrets/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import { describeCapability } from './describe-capability.ts';

const upstream = { name: 'fs', server: { prefix: true } } as Upstream;
const tool = (own: string, annotations?: object) => ({
  ...{ upstream, own },
  listed: { name: own, ...(annotations && { annotations }) },
});
const tools = new NameIndex('tool', [
  tool('read', { readOnlyHint: true }),
  tool('write', { readOnlyHint: false }),
  tool('odd'),
]);
const NESTED = 'local.default.my.nested.0123';
const sources = {
  tools,
  redactor: new Redactor(['hunter2222']),
  nestedCallees: (fqdn: string) => (fqdn === NESTED ? ['fs:write'] : undefined),
};
const capability = { description: 'Copy a file', stale: null };

test('it says what is read, written and called, and what comes back', () => {
  const returns = { type: 'object', properties: { copied: { type: 'string' } } };
  assert.equal(
    describeCapability(
      { ...capability, callees: ['fs:read', NESTED, 'fs:odd', 'gone:tool'] },
      returns,
      sources,
    ),
    'Copy a file\nReads with fs:read. Writes with fs:write. Calls fs:odd, gone:tool. Returns { copied?: string }.',
  );
});

test('of what it calls nothing is said if that is not known, or hidden from the reader', () => {
  for (const callees of [null, ['fs:read', 'local.default.my.hidden.0123']])
    assert.equal(describeCapability({ ...capability, callees }, undefined, sources), 'Copy a file');
});

test('many tools and long names are cut, and secrets in them are hidden', () => {
  const callees = Array.from({ length: 9 }, (_, at) => `s:${at}${'x'.repeat(300)}`);
  const said = describeCapability({ ...capability, callees }, undefined, sources);
  assert.match(said, / and 4 more\.$/);
  assert.ok(said.length < 500);
  const returns = { type: 'object', properties: { hunter2222: { type: 'string' } } };
  assert.doesNotMatch(describeCapability({ ...capability, callees: [] }, returns, sources), /hunter2222/);
});

test('a stale one says so first', () => {
  const said = describeCapability(
    { description: 'Copy', stale: 'a tool is gone', callees: ['fs:read'] },
    undefined,
    sources,
  );
  assert.equal(said, '[stale: a tool is gone] Copy\nReads with fs:read.');
});
