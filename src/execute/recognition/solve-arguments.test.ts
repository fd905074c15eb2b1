import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonSchema } from '../../json.ts';
import { argumentSets, type KnownProcedure, type SolvedRun } from './solve-arguments.ts';

function known(defaults: Record<string, Json>, more: Partial<KnownProcedure> = {}): KnownProcedure {
  const properties = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { default: value } as JsonSchema]),
  );
  return { parametersSchema: { type: 'object', properties }, recordings: [], constants: [], ...more };
}

const run = (more: Partial<SolvedRun>): SolvedRun => ({ calls: [], args: {}, values: [], ...more });

const first = (procedure: KnownProcedure, made: SolvedRun) => argumentSets(procedure, made, 5)[0];

test('a value is found where the recorded runs passed it, whatever it is called there', () => {
  const recordings = [
    { args: { folder: 'a' }, calls: [{ name: 'fs:list', args: { path: 'a' } }], result: null },
  ];
  const made = run({ calls: [{ name: 'fs:list', args: { path: 'b' } }], values: ['c', 'b'] });
  assert.deepEqual(first(known({ folder: 'a' }, { recordings }), made), {
    args: { folder: 'b' },
    unsure: [],
    used: ['"b"'],
    cost: 0,
  });
});

test('a list is found whose items were passed one by one', () => {
  const calls = (...cities: string[]) => cities.map((city) => ({ name: 'w:get', args: { city } }));
  const recordings = [{ args: { cities: ['a', 'b'] }, calls: calls('a', 'b'), result: null }];
  const made = run({ calls: calls('x', 'y', 'z') });
  assert.deepEqual(first(known({ cities: ['a', 'b'] }, { recordings }), made)?.args, {
    cities: ['x', 'y', 'z'],
  });
});

test('a literal that only the run has is likelier than one that both have, and a likeness decides between two', () => {
  const procedure = known({ root: 'src/app', ending: '.ts' }, { constants: ['dir', '/'] });
  const made = run({ values: ['dir', '/', 'lib/core', '.md'] });
  assert.deepEqual(first(procedure, made)?.args, { root: 'lib/core', ending: '.md' });
  assert.deepEqual(first(procedure, made)?.unsure, ['root', 'ending']);
});

test('a default that the run spells out stays, and flags and numbers never take a text', () => {
  const made = run({ values: ['open', 7, true] });
  assert.deepEqual(first(known({ state: 'open', limit: 5, all: false }), made)?.args, {
    state: 'open',
    limit: 7,
    all: true,
  });
});

test('an optional argument without a default is left out, unless the run has one of that name', () => {
  const properties = { name: { default: 'Globex' }, token: { type: 'string' } };
  const procedure = { ...known({}), parametersSchema: { type: 'object', properties } };
  const made = run({ values: ['Initech', 'none'], args: { other: 'x' } });
  assert.deepEqual(first(procedure, made)?.args, { name: 'Initech' });
  const needed = { ...procedure, parametersSchema: { ...procedure.parametersSchema, required: ['token'] } };
  assert.ok('token' in (first(needed, made)?.args ?? {}));
  assert.deepEqual(first(procedure, { ...made, args: { token: 'none' } })?.args, {
    name: 'Initech',
    token: 'none',
  });
});

test('two parameters take different values first', () => {
  const made = run({ values: ['acme', 'rocket'] });
  const sets = argumentSets(known({ owner: 'globex', repo: 'lander' }), made, 5).map(({ args }) => args);
  assert.deepEqual(sets.slice(0, 2), [
    { owner: 'acme', repo: 'rocket' },
    { owner: 'rocket', repo: 'acme' },
  ]);
});

test('the number of sets is bounded', () => {
  const defaults = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, `v${at}`]));
  const values = Array.from({ length: 150 }, (_, at) => `x${at}`);
  assert.equal(argumentSets(known(defaults), run({ values }), 10).length, 10);
});
