import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Callable } from '../../registry/index.ts';
import type { ResolvedName } from '../run/resolve-names.ts';
import { answerOf } from './answer.ts';

const capability = { id: '7', name: 'text:clean', fqdn: 'acme.web.text.clean.abcd' } as unknown as Callable;
const tool = { kind: 'tool', entry: { upstream: { name: 'fs' }, own: 'read' } } as unknown as ResolvedName;

test('the answer names tools and capabilities as agents know them, and rounds the time', () => {
  const called = new Map<string, ResolvedName>([
    ['fs:read', tool],
    [capability.fqdn, { kind: 'capability', capability }],
  ]);
  const logs = [{ level: 'log' as const, text: 'hello' }];
  const answer = answerOf('direct', { called, logs }, { a: 1 }, 12.3456, {
    capability,
    warnings: ['careful'],
  });
  assert.deepEqual(answer, {
    status: 'success',
    mode: 'direct',
    result: { a: 1 },
    capabilityId: '7',
    capabilityName: 'text:clean',
    capabilityFqdn: 'acme.web.text.clean.abcd',
    toolsUsed: ['fs:read', 'text:clean'],
    executionTimeMs: 12.35,
    logs,
    warnings: ['careful'],
  });
});

test('an undefined result is null, and empty parts are left out', () => {
  const answer = answerOf('capability', { called: new Map(), logs: [] }, undefined, 1, { warnings: [] });
  assert.deepEqual(answer, {
    status: 'success',
    mode: 'capability',
    result: null,
    toolsUsed: [],
    executionTimeMs: 1,
  });
});
