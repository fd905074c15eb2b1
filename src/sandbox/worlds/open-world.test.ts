import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../canonical-json.ts';
import { type ReplayCall, WORLD_KINDS, type WorldKind } from '../replay-request.ts';
import { openWorld, worldSource } from './open-world.ts';
import { canonicalArgs } from './recorded-answers.ts';
import { worldsFor } from './world-styles.ts';

const jsonValue = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
const call = fc.record({
  name: fc.constantFrom('a:get', 'a:list', 'b:put'),
  args: fc.dictionary(fc.constantFrom('id', 'path', 'n'), fc.oneof(fc.string(), fc.integer())),
  result: jsonValue,
});
const reads = ['a:get', 'a:list'];

function answersIn(
  kind: WorldKind,
  seed: number,
  calls: ReplayCall[],
  asked = calls,
  literals: string[] = [],
) {
  const begin = openWorld({ kind, seed }, worldSource({ calls, reads, literals }));
  const answer = begin();
  return asked.map(({ name, args }) => answer(name, canonicalArgs(args)));
}

/** The parsed answers, of which none may be an error. */
function valuesIn(kind: WorldKind, seed: number, calls: ReplayCall[], asked?: ReplayCall[]): unknown[] {
  return answersIn(kind, seed, calls, asked).map(({ ok, text }) => {
    assert.ok(ok, text);
    return JSON.parse(text);
  });
}

describe('any world', () => {
  test('gives the same answers each time, as JSON', () => {
    const property = fc.property(
      fc.constantFrom(...WORLD_KINDS),
      fc.nat(),
      fc.array(call, { maxLength: 6 }),
      (kind, seed, calls) => {
        const first = answersIn(kind, seed, calls);
        assert.deepEqual(answersIn(kind, seed, calls), first);
        for (const { ok, text } of first) if (ok) JSON.parse(text);
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  test('answers an unknown call of a known tool', () => {
    const calls = [{ name: 'a:get', args: { id: 1 }, result: 5 }];
    const asked = [
      { name: 'a:get', args: { id: 2 } },
      { name: 'a:none', args: {} },
    ];
    for (const { kind, seed } of worldsFor({ seed: 3, calls })) {
      const [known, unknown] = answersIn(kind, seed, calls, asked);
      if (!kind.startsWith('fail')) assert.ok(known?.ok);
      assert.equal(unknown?.ok, false);
    }
  });
});

test('the recorded world gives the recorded answers, and the last one again', () => {
  const property = fc.property(fc.array(call, { maxLength: 6 }), (calls) => {
    const unique = calls.filter(
      (one, i) =>
        calls.findIndex(
          (other) => canonicalJson([other.name, other.args]) === canonicalJson([one.name, one.args]),
        ) === i,
    );
    assert.deepEqual(
      valuesIn('recorded', 0, unique),
      unique.map(({ result }) => result),
    );
  });
  fc.assert(property, { numRuns: 200 });
  const twice = [1, 2].map((result) => ({ name: 'a:get', args: {}, result }));
  assert.deepEqual(valuesIn('recorded', 0, twice, [...twice, ...twice]), [1, 2, 2, 2]);
});

const items = Array.from({ length: 5 }, (_, id) => ({
  id: `item-${id}`,
  rank: id * 3,
  state: id % 2 ? 'open' : 'closed',
  isNew: id > 2,
  at: `2026-01-1${id}`,
}));
const list: ReplayCall = { name: 'a:list', args: { q: 'shoes' }, result: { q: 'shoes', items, next: null } };
type Listed = { q: string; items: ((typeof items)[number] | undefined)[] };

/** The answers to one call in several worlds of a kind. */
function lists(kind: WorldKind, asked: ReplayCall = list): Listed[] {
  return Array.from({ length: 20 }, (_, seed) => valuesIn(kind, seed, [list], [asked])[0] as Listed);
}

describe('a kind of worlds', () => {
  test('values: other values of the same type and format', () => {
    const worlds = lists('values');
    const all = worlds.flatMap((one) => one.items);
    const numbers = all.map((item) => item?.rank ?? 0);
    assert.ok(numbers.includes(0) && numbers.some((n) => n < 0) && numbers.some((n) => !Number.isInteger(n)));
    assert.ok(new Set(all.map((item) => item?.id)).size > 20);
    for (const item of all) assert.match(String(item?.at), /^20\d\d-\d\d-\d\d$/);
    assert.ok(new Set(worlds.map((one) => one.items.length)).size > 3);
  });

  test('longer, single, empty: the lengths of lists', () => {
    for (const one of lists('longer')) assert.ok(one.items.length >= 14 && one.items.length <= 20);
    for (const one of lists('single')) assert.equal(one.items.length, 1);
    for (const one of lists('empty')) assert.equal(one.items.length, 0);
  });

  test('shuffled: the order of lists, with equal values', () => {
    const worlds = lists('shuffled');
    for (const one of worlds) assert.equal(one.items.length, 5);
    assert.ok(worlds.some((one) => new Set(one.items.map((item) => item?.rank)).size < 5));
    assert.ok(worlds.some((one) => one.items[0]?.id !== 'item-0'));
  });

  test('sparse and falsy: missing members, and those that count as false', () => {
    const sparse = lists('sparse').flatMap((one) => one.items ?? []);
    assert.ok(sparse.some((item) => item && !('rank' in item)));
    assert.ok(sparse.some((item) => item?.rank === null));
    const falsy = lists('falsy').flatMap((one) => one.items);
    assert.ok(falsy.some((item) => item?.id === '') && falsy.some((item) => item?.isNew === false));
  });

  test('null: each such world has another tool that answers null', () => {
    const calls = [list, { name: 'a:get', args: {}, result: 1 }];
    const nulls = worldsFor({ seed: 1, calls })
      .filter(({ kind }) => kind === 'null')
      .map(({ kind, seed }) => valuesIn(kind, seed, calls).map((value) => value === null));
    assert.deepEqual(nulls, [
      [true, false],
      [false, true],
    ]);
  });

  test('fail1, fail2, fail3: that call of the recording, whenever it is made', () => {
    const calls = ['x', 'y', 'z'].map((id) => ({ name: 'a:get', args: { id }, result: id }));
    for (const [index, kind] of (['fail1', 'fail2', 'fail3'] as const).entries()) {
      const oks = answersIn(kind, 1, calls, calls.toReversed()).map(({ ok }) => ok);
      assert.deepEqual(oks, [2 !== index, 1 !== index, 0 !== index]);
    }
  });

  test('failWrite1, failWrite2, failAll: by what calls do', () => {
    const calls = ['a:get', 'b:put', 'a:list', 'b:put'].map((name, n) => ({ name, args: { n }, result: n }));
    const oks = (kind: WorldKind) => answersIn(kind, 1, calls).map(({ ok }) => ok);
    assert.deepEqual(oks('failWrite1'), [true, false, true, true]);
    assert.deepEqual(oks('failWrite2'), [true, true, true, false]);
    assert.deepEqual(oks('failAll'), [false, false, false, false]);
  });
});

describe('an answer', () => {
  test('repeats the arguments that the recorded one repeats', () => {
    for (const kind of ['values', 'longer', 'shuffled'] as const) {
      for (const one of lists(kind, { name: 'a:list', args: { q: 'hats' } })) assert.equal(one.q, 'hats');
    }
    const file = { name: 'a:get', args: { path: 'docs/a.md' }, result: { url: 'x://docs/a.md#1', n: 7 } };
    const [value] = valuesIn('values', 5, [file], [{ name: 'a:get', args: { path: 'src/b.ts' } }]);
    assert.match((value as { url: string }).url, /src\/b\.ts/);
  });

  test('differs for different arguments', () => {
    const asked = Array.from({ length: 12 }, (_, page) => ({ name: 'a:list', args: { q: 'shoes', page } }));
    const texts = answersIn('values', 4, [list], asked).map(({ text }) => text);
    assert.equal(new Set(texts).size, 12);
  });

  test('has a last page now and then, so that paging ends', () => {
    const page = (cursor: string, next: string | null) => ({
      name: 'a:list',
      args: { cursor },
      result: { items, next },
    });
    const calls = [page('', 'p1'), page('p1', 'p2'), page('p2', null)];
    for (const { kind, seed } of worldsFor({ seed: 9, calls }).filter(
      (one) => !one.kind.startsWith('fail'),
    )) {
      const answer = openWorld({ kind, seed }, worldSource({ calls, reads }))();
      let cursor: unknown = '';
      let pages = 0;
      for (; cursor !== null && cursor !== undefined && pages < 300; pages++) {
        cursor = JSON.parse(answer('a:list', canonicalArgs({ cursor })).text)?.next;
      }
      assert.ok(pages < 100, `${kind} ${pages}`);
    }
  });

  test('that holds JSON as text still does', () => {
    const text = JSON.stringify({ name: 'x', ports: [1, 2, 3] }, null, 2);
    const calls = [{ name: 'a:get', args: {}, result: { text } }];
    for (const kind of WORLD_KINDS.filter(
      (one) => !one.startsWith('fail') && one !== 'null' && one !== 'falsy',
    )) {
      const [value] = valuesIn(kind, 8, calls) as { text?: string | null }[];
      if (value?.text) assert.equal(typeof JSON.parse(value.text), 'object');
    }
  });

  test('that is a table keeps its head and its columns', () => {
    const text = ['name,email,rank', 'ana,a@x.com,1', 'bo,b@x.com,2', 'cy,c@x.com,3'].join('\n');
    const calls = [{ name: 'a:get', args: {}, result: text }];
    for (let seed = 0; seed < 10; seed++) {
      const lines = String(valuesIn('longer', seed, calls)[0]).split('\n');
      assert.equal(lines[0], 'name,email,rank');
      assert.ok(lines.length >= 9);
      for (const line of lines) assert.equal(line.split(',').length, 3);
    }
  });
});
