import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsFromFlags, assertRequired, usageOf } from './flag-arguments.ts';

const callee = {
  name: 'fs:find',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      maxDepth: { type: 'integer' },
      hidden: { type: 'boolean' },
      names: { type: 'array', items: { type: 'string' } },
      where: { type: 'object' },
      any: {},
    },
    required: ['path'],
  },
} as const;

function refusal(...flags: [string, string | true][]): string {
  try {
    argumentsFromFlags(callee, flags);
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail('was accepted');
}

test('flags become arguments of the types that the schema names', () => {
  const flags: [string, string | true][] = [
    ['path', '12'],
    ['max-depth', '3'],
    ['no-hidden', true],
    ['names', 'a'],
    ['names', 'b,c'],
    ['where', '{"size": 1}'],
    ['any', '[1]'],
  ];
  assert.deepEqual(argumentsFromFlags(callee, flags), {
    path: '12',
    maxDepth: 3,
    hidden: false,
    names: ['a', 'b,c'],
    where: { size: 1 },
    any: [1],
  });
  assert.deepEqual(
    argumentsFromFlags(callee, [
      ['names', '["x"]'],
      ['any', 'plain'],
      ['hidden', true],
    ]),
    {
      names: ['x'],
      any: 'plain',
      hidden: true,
    },
  );
});

test('a flag that does not fit is refused by its name', () => {
  assert.equal(refusal(['pth', 'x']), 'fs:find has no parameter "pth". Did you mean --path?');
  assert.equal(refusal(['maxDepth', '1.5']), '--maxDepth must be a whole number, not "1.5".');
  assert.equal(refusal(['hidden', 'perhaps']), '--hidden must be true or false, not "perhaps".');
  assert.equal(refusal(['path', true]), '--path needs a value.');
  assert.throws(() => assertRequired(callee, {}), {
    message: 'fs:find needs --path.',
    hint: usageOf(callee),
  });
});

test('a schema that lists nothing takes any flag', () => {
  assert.deepEqual(argumentsFromFlags({ name: 'x', schema: {} }, [['n', '1']]), { n: 1 });
});

test('the usage shows every flag', () => {
  assert.equal(
    usageOf(callee),
    'Usage: pml run fs:find --path TEXT [--maxDepth NUMBER] [--hidden] [--names ITEM…] [--where JSON] [--any JSON]',
  );
});
