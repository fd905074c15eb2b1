import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../json.ts';
import { HIDDEN } from '../secrets/index.ts';
import { argumentLeaves } from './argument-leaves.ts';
import { type CallDigest, digestCall } from './digest-call.ts';
import { linksOf } from './segment-links.ts';
import { writeProgram } from './write-program.ts';

const AsyncFunction = (async () => {}).constructor as new (
  ...parameters: string[]
) => (...given: unknown[]) => Promise<unknown>;

interface Made {
  name: string;
  args: Json;
  result: Json;
}

/** Runs a program against tools that answer from a list, and returns what it called. */
async function callsOf(code: string, args: object, answers: readonly Made[]): Promise<[string, unknown][]> {
  const made: [string, unknown][] = [];
  const call = (name: string) => async (given: unknown) => {
    made.push([name, given]);
    return answers[made.length - 1]?.result;
  };
  const mcp = { s: new Proxy({}, { get: (_, tool) => call(`s:${String(tool)}`) }) };
  await new AsyncFunction('mcp', 'args', code)(mcp, args);
  return made;
}

test('links become data flow, what varied and what is secret becomes arguments, the rest stays', () => {
  const calls: Omit<Made, 'result'>[] = [
    { name: 's:login', args: { user: 'ana', password: HIDDEN } },
    { name: 's:find-it', args: { filter: { name: 'Hooli', 'max-age': 3 }, tags: ['a'] } },
    { name: 's:note', args: { id: 'CUS-1002', name: 'Hooli', token: HIDDEN } },
  ];
  const links = [
    { call: 2, leaf: 0, from: 1, path: ['customer', 'x-id'] },
    { call: 2, leaf: 2, from: 0, path: [] },
  ];
  const written = writeProgram({ calls, links, varied: new Set(['1.1', '2.1']) });
  assert.equal(
    written?.code,
    [
      'const step1 = await mcp.s.login({ password: args.password, user: "ana" });',
      'const step2 = await mcp["s:find-it"]({ filter: { "max-age": 3, name: args.name }, tags: ["a"] });',
      'return await mcp.s.note({ id: step2.customer["x-id"], name: args.note_name, token: step1 });',
    ].join('\n'),
  );
  assert.deepEqual(written?.args, { password: HIDDEN, name: 'Hooli', note_name: 'Hooli' });
});

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(
    'CUS-1001',
    'CUS-1002',
    'a9s8d7f6',
    'a "quoted" `text` with {braces}',
    'line\nbreak\u2028',
    94016,
  ),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
);
const key = fc.oneof(fc.constantFrom('id', 'name', 'token', 'x-id'), fc.string({ maxLength: 6 }));
const data = fc.dictionary(
  key,
  fc.oneof(
    value,
    fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }),
    fc.array(value, { maxLength: 3 }),
  ),
  {
    maxKeys: 4,
    noNullPrototype: true,
  },
);
const made = fc.record({ name: fc.constantFrom('s:a', 's:b', 's:c'), args: data, result: data });

test('a program makes the very calls that it was made of, whatever varied', async () => {
  const property = fc.asyncProperty(
    fc.array(made, { minLength: 2, maxLength: 5 }),
    fc.nat(),
    async (calls, seed) => {
      const digests = calls.map((call) => digestCall(call as Made));
      if (digests.some((digest) => digest === undefined)) return;
      const varied = new Set(
        calls.flatMap(({ args }, call) =>
          (argumentLeaves(args as Json) ?? []).flatMap((_, leaf) =>
            (seed >> (leaf + call)) & 1 ? `${call}.${leaf}` : [],
          ),
        ),
      );
      const links = linksOf(digests as CallDigest[]);
      const written = writeProgram({ calls: calls as Made[], links, varied });
      assert.ok(written);
      assert.deepEqual(
        await callsOf(written.code, written.args, calls as Made[]),
        calls.map(({ name, args }) => [name, { ...args }]),
      );
    },
  );
  await fc.assert(property, { numRuns: 500 });
});
