import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Callable } from '../../registry/index.ts';
import { validatorOf } from './validator.ts';

let made = 0;

function capability(properties: object, required: string[] = []): Callable {
  const parametersSchema = { type: 'object', properties, required };
  return { fqdn: `validator.${made++}`, version: 1, parametersSchema } as unknown as Callable;
}

test('the validator of a version is compiled once', () => {
  const one = capability({ a: { type: 'string' } });
  assert.equal(validatorOf(one), validatorOf({ ...one }));
  assert.notEqual(validatorOf(one), validatorOf({ ...one, version: 2 }));
});

test('it checks the whole schema, or the first level if the arguments are too many', () => {
  const choices = Array.from({ length: 1000 }, (_, i) => `${i}`);
  const validator = validatorOf(capability({ list: { type: 'array', items: { enum: choices } } }, ['list']));
  const few = { list: ['none'] };
  assert.equal(validator.for(few)(few), false);
  const many = { list: Array.from({ length: 100_000 }, () => 'none') };
  assert.equal(validator.for(many)(many), true);
  const incomplete = { rest: many.list };
  assert.equal(validator.for(incomplete)(incomplete), false);
});

test('the thorough check reports every problem', () => {
  const validator = validatorOf(capability({ a: { type: 'string' }, b: { type: 'string' } }));
  const args = { a: 1, b: 2 };
  const [quick, thorough] = [validator.for(args), validator.thorough()];
  assert.deepEqual([quick(args), thorough(args)], [false, false]);
  assert.deepEqual([quick.errors?.length, thorough.errors?.length], [1, 2]);
});

test('it compares objects by their own keys, whatever these are called', () => {
  const odd = { toString: ['a'], valueOf: 1, constructor: { name: 'b' } };
  const { constructor: _, ...other } = odd;
  const schema = { one: { const: odd }, any: { enum: [1, other, odd] } };
  const thorough = validatorOf(capability(schema)).thorough();
  assert.equal(thorough({ one: structuredClone(odd), any: structuredClone(odd) }), true);
  assert.equal(thorough({ one: other, any: { toString: 'a' } }), false);
  assert.deepEqual(
    thorough.errors?.map(({ keyword, params, message }) => [keyword, params, message]),
    [
      ['const', { allowedValue: odd }, 'must be equal to constant'],
      ['enum', { allowedValues: [1, other, odd] }, 'must be equal to one of the allowed values'],
    ],
  );
});
