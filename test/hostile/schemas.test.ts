import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { inferParametersSchema, parse } from '../../src/code/testing.ts';
import type { JsonSchema } from '../../src/json.ts';
import { runs } from '../../src/testing/effort.ts';
import { anySchema, anyTypes } from './schemas/arbitrary.ts';
import { SCHEMAS, TYPES } from './schemas/attacks.ts';
import { argumentsOf, READERS } from './schemas/readers.ts';

/** Processor time for one reading. */
const LONGEST_MS = 250;
/** Attempts: a busy machine makes some readings slow, a fault makes all of them slow. */
const TRIES = 4;

/** Checks that a reading is quick, small and the same each time. */
function bounded(what: string, read: () => unknown, largest: number): void {
  let ms = 0;
  let before: string | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const start = process.threadCpuUsage();
    const found = read();
    const spent = process.threadCpuUsage(start);
    ms = (spent.user + spent.system) / 1000;
    const text = JSON.stringify(found) ?? '';
    assert.ok(Buffer.byteLength(text) <= largest, `${what}: ${text.length} of ${largest} bytes`);
    assert.equal(text, before ?? text, `${what} is another each time`);
    if (ms <= LONGEST_MS) return;
    before = text;
  }
  assert.fail(`${what} took ${ms} ms`);
}

function readAll(what: string, schema: unknown): void {
  for (const { name, read, largest } of READERS)
    bounded(`${name} of ${what}`, () => read(schema as JsonSchema), largest);
}

function readTypes(what: string, types: string): void {
  const source = `${types}\nconst { p0 }: A = args; return [p0, (args as A).p1, args.q as A, args.a as A];`;
  const program = parse(source);
  const read = () => inferParametersSchema(program, { toolSchema: () => undefined });
  bounded(what, read, 66 * 1024);
  bounded(`arguments of ${what}`, () => argumentsOf(read(), { p0: 1, q: [] }), 8 * 1024);
}

describe('hostile schemas', () => {
  for (const [what, schema] of Object.entries(SCHEMAS)) test(what, () => readAll(what, schema));

  test('random ones', () => {
    fc.assert(
      fc.property(anySchema, (schema) => readAll('a random schema', schema)),
      { ...runs(25), endOnFailure: true },
    );
  });
});

describe('hostile types', () => {
  for (const [what, types] of Object.entries(TYPES)) test(what, () => readTypes(what, types));

  test('random ones', () => {
    fc.assert(
      fc.property(anyTypes, (types) => readTypes('random types', types)),
      { ...runs(25), endOnFailure: true },
    );
  });
});
