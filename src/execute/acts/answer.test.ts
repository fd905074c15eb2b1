import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Callable } from '../../registry/index.ts';
import type { ResolvedName } from '../run/resolve-names.ts';
import { answerOf } from './answer.ts';

const capability = { id: '7', name: 'text:clean', fqdn: 'acme.web.text.clean.abcd' } as unknown as Callable;
const tool = { kind: 'tool', entry: { upstream: { name: 'fs' }, own: 'read' } } as unknown as ResolvedName;

test('the answer names tools and capabilities as agents know them, and says last what a model has little use for', () => {
  const called = new Map<string, ResolvedName>([
    ['fs:read', tool],
    [capability.fqdn, { kind: 'capability', capability }],
  ]);
  const logs = [{ level: 'log' as const, text: 'hello' }];
  const presented = { result: { a: 1 }, media: [], warnings: ['cut'] };
  const remembered = {
    name: 'text:clean',
    tool: 'mcp__text__clean',
    call: 'pml_execute({})',
    parameters: {},
  };
  const { answer } = answerOf('direct', { called, logs, resultBytes: 50_000 }, presented, 12.3456, {
    capability,
    remembered,
    warnings: ['careful'],
  });
  assert.deepEqual(Object.entries(answer), [
    ['warnings', ['cut', 'careful']],
    ['status', 'success'],
    ['mode', 'direct'],
    ['result', { a: 1 }],
    ['remembered', remembered],
    ['logs', logs],
    ['toolsUsed', ['fs:read', 'text:clean']],
    ['capabilityName', 'text:clean'],
    ['capabilityId', '7'],
    ['capabilityFqdn', 'acme.web.text.clean.abcd'],
    ['executionTimeMs', 12.35],
  ]);
});

test('an undefined result is null, and empty parts are left out', () => {
  const presented = { result: undefined, media: [], warnings: [] };
  const { answer } = answerOf(
    'capability',
    { called: new Map(), logs: [], resultBytes: 50_000 },
    presented,
    1,
    { warnings: [] },
  );
  assert.deepEqual(answer, {
    status: 'success',
    mode: 'capability',
    result: null,
    toolsUsed: [],
    executionTimeMs: 1,
  });
});
