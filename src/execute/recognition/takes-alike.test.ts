import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../json.ts';
import { takesAlike } from './takes-alike.ts';

const taken = (
  defaults: Record<string, Json>,
  args: Record<string, Json> = defaults,
  required: string[] = [],
) => ({
  schema: {
    properties: Object.fromEntries([
      ...Object.entries(defaults).map(([name, value]) => [name, { default: value }]),
      ...required.map((name) => [name, {}]),
    ]),
  },
  args,
});

test('calls that leave arguments out must mean the same', () => {
  assert.ok(takesAlike(taken({ kind: 'call' }), taken({ kind: 'call' })));
  assert.ok(!takesAlike(taken({ kind: 'call' }, { kind: 'visit' }), taken({ kind: 'visit' })));
  assert.ok(
    !takesAlike(taken({ kind: 'call' }, { kind: 'visit' }), taken({})),
    'a constant became a parameter',
  );
  assert.ok(takesAlike(taken({ kind: 'call' }, {}), taken({})));
});

test('arguments of one name must have been one value', () => {
  const swapped = { from: 'b', to: 'a' };
  const given = { from: 'a', to: 'b' };
  assert.ok(takesAlike(taken({}, given, ['from', 'to']), taken({}, given, ['from', 'to'])));
  assert.ok(!takesAlike(taken({}, swapped, ['from', 'to']), taken({}, given, ['from', 'to'])));
});
