import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PmlError } from '../../errors.ts';
import type { Callable } from '../../registry/index.ts';
import { cpuOf } from '../../testing/cpu-time.ts';
import { argumentsFor } from './validate-arguments.ts';

let made = 0;

function taken(properties: object, args: object, more: object = {}): Record<string, unknown> {
  const parametersSchema = { type: 'object', properties, ...more };
  const capability = { fqdn: `a.b.c.d.${made++}`, version: 1, name: 'c', parametersSchema };
  return argumentsFor(capability as unknown as Callable, args);
}

function refusal(properties: object, args: object, more: object = {}): string {
  try {
    taken(properties, args, more);
  } catch (error) {
    assert.ok(error instanceof PmlError && error.code === 'invalid_arguments', String(error));
    return error.message;
  }
  return assert.fail('taken');
}

test('a stored schema of types that JSON Schema does not know takes any value for them', () => {
  for (const type of ['any', 'int', 'date', 'dict', ['string', 'int'], []])
    assert.deepEqual(taken({ a: { type, default: 3 } }, {}), { a: 3 });
});

test('a stored schema that no validator would take still fills in its defaults and checks what it can', () => {
  const odd = { required: ['a', 'a', 5], enum: [], anyOf: [], properties: 'none', format: 7, $ref: '#/x' };
  assert.deepEqual(taken({ a: { ...odd, default: 1 }, b: { default: [] } }, {}), { a: 1, b: [] });
  assert.match(refusal({ a: odd, b: { type: 'string' } }, { b: 1 }), /"b" must be string/);
});

test('no pattern of a stored schema is run', () => {
  const text = `${'a'.repeat(60)}!`;
  assert.deepEqual(taken({ a: { type: 'string', pattern: '^(a+)+$' } }, { a: text }), { a: text });
});

test('a message shows the first choices, the first problems, and how many more there are', () => {
  const choices = Array.from({ length: 3000 }, (_, i) => `choice ${i}`);
  const message = refusal({ a: { enum: choices } }, { a: 'x' });
  assert.match(message, /must be one of choice 0, .*choice 19, and 2980 more\.$/);
  assert.equal(
    refusal({ a: { enum: ['x', 1] } }, { a: 2 }),
    'Wrong arguments for "c": "a" must be one of x, 1.',
  );
  const wrong = Array.from({ length: 300 }, (_, i) => i);
  const list = refusal({ a: { type: 'array', items: { type: 'string' } } }, { a: wrong });
  assert.match(list, /"a\.9" must be string; and 290 more\.$/);
  const names = Object.fromEntries(wrong.map((n) => [`${n}`.repeat(1000), n]));
  assert.ok(refusal({}, names, { additionalProperties: false }).length < 2000);
});

test('of arguments with many problems the first is told', () => {
  const wrong = Array.from({ length: 500_000 }, (_, i) => i);
  const message = refusal({ a: { type: 'array', items: { type: 'string' } } }, { a: wrong });
  assert.equal(message, 'Wrong arguments for "c": "a.0" must be string.');
});

test('many values are not held against many choices', async () => {
  const choices = Array.from({ length: 8000 }, (_, i) => `${i}`);
  const many = Array.from({ length: 500_000 }, () => '7999');
  const schema = { a: { type: 'array', items: { enum: choices } }, b: { default: 1 } };
  const ms = await cpuOf(() => taken(schema, { a: many }));
  assert.ok(ms < 2000, `${ms} ms`);
});

function hintFor(user: string, properties: object, args: object, required = Object.keys(properties)): string {
  const parametersSchema = { type: 'object', properties, required };
  const capability = {
    fqdn: `a.b.c.d.${made++}`,
    version: 1,
    name: 'crm:log',
    createdBy: 'ana',
    named: true,
  };
  const callable = { ...capability, listedName: 'mcp__crm__log', parametersSchema } as unknown as Callable;
  try {
    argumentsFor(callable, args, { user, org: 'o', project: 'p' });
  } catch (error) {
    return (error as PmlError).hint ?? '';
  }
  return assert.fail('taken');
}

test('a missing argument is answered with an example for the maker, and the signature for others', () => {
  const properties = {
    name: { type: 'string', examples: ['Globex'] },
    text: { type: 'string', examples: ['paid'] },
    token: { type: 'string', writeOnly: true },
    kind: { enum: ['call', 'visit'], default: 'call' },
  };
  const required = ['name', 'text', 'token'];
  assert.equal(
    hintFor('ana', properties, { name: 'Initech' }, required),
    'For example: pml_execute({"intent":"use crm:log","capability":"crm:log","args":{"name":"Initech","text":"paid","token":"<string>"}})',
  );
  assert.equal(
    hintFor('ben', properties, {}, required),
    'Call it as mcp.crm.log(args: { name: string; text: string; token: string; kind?: "call" | "visit" }): Promise<unknown>',
  );
});

test('a wrong argument shows no examples, and a large example is shortened', () => {
  assert.doesNotMatch(
    hintFor('ana', { a: { type: 'string', examples: ['secretly'] } }, { a: 1 }),
    /secretly/,
  );
  const large = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`p${n}`, { type: 'string', examples: ['x'.repeat(5000)] }]),
  );
  assert.ok(hintFor('ana', large, {}).length <= 2500);
});
