import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferNamespace } from './infer-namespace.ts';

test('the inferred namespace is that of the tools used most', () => {
  assert.equal(inferNamespace(['filesystem:read_file', 'github:x', 'github:y']), 'github');
  assert.equal(inferNamespace(['filesystem:read_file', 'github:x']), 'filesystem');
  assert.equal(inferNamespace(['local.default.fs.read.a7f3']), 'fs');
  assert.equal(inferNamespace(['@scope/my server:x']), 'scope_my_server');
  assert.equal(inferNamespace([]), 'util');
  assert.equal(inferNamespace(['sum']), 'util');
});
