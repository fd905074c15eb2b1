import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../json.ts';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { findLinks, type PassedCall } from './find-links.ts';

type Call = Omit<PassedCall, 'name'>;

/** Writes links as `2.cityA ← 0.zipcode`. */
function linksOf(calls: readonly Call[], said?: string): string[] {
  const named = calls.map((call) => ({ name: 's:t', ...call }));
  return findLinks(named, said === undefined ? {} : { said }).map(
    ({ call, path, source }) => `${[call, ...path].join('.')} ← ${[source.call, ...source.path].join('.')}`,
  );
}

test('a token, an id and a price are linked to the results they come from', () => {
  const calls: Call[] = [
    { args: { user: 'ana' }, result: { auth: { token: 'a9s8d7f6' } } },
    { args: { token: 'a9s8d7f6', symbol: 'X' }, result: { price: 250, currency: 'USD' } },
    { args: { token: 'a9s8d7f6', order: { price: 250 } }, result: { order_id: 'OR-1' } },
  ];
  assert.deepEqual(linksOf(calls), [
    '1.token ← 0.auth.token',
    '2.token ← 0.auth.token',
    '2.order.price ← 1.price',
  ]);
});

test('a text that is the whole result is linked to it', () => {
  const calls: Call[] = [
    { args: { path: 'a.txt' }, result: 'the contents of the file' },
    { args: { body: 'the contents of the file' } },
  ];
  assert.deepEqual(linksOf(calls), ['1.body ← 0']);
});

const NO_LINKS: Record<string, [Call[], string?]> = {
  'values that are equal by chance': [
    [
      { args: {}, result: { ok: true, page: 1, state: 'success', size: 2000, kind: 'file' } },
      { args: { force: true, page: 1, word: 'success', price: 2000, label: 'file' } },
    ],
  ],
  'an index': [[{ args: {}, result: { rows: [{ id: 'USR005' }] } }, { args: { id: 'USR005' } }]],
  'a key that is data': [
    [{ args: {}, result: { '2024-01-05': { id: 'USR005' } } }, { args: { id: 'USR005' } }],
  ],
  'one of several places': [
    [{ args: {}, result: { from: 'USR005', to: 'USR005' } }, { args: { id: 'USR005' } }],
  ],
  'an index and a name': [
    [{ args: {}, result: { all: ['USR005'], id: 'USR005' } }, { args: { id: 'USR005' } }],
  ],
  'an echo of an argument': [
    [{ args: { id: 'USR005' }, result: { id: 'USR005' } }, { args: { id: 'USR005' } }],
  ],
  'a later result': [[{ args: { id: 'USR005' } }, { args: {}, result: { id: 'USR005' } }]],
  'another type': [[{ args: {}, result: { zip: 94016 } }, { args: { zip: '94016' } }]],
  'words of the user': [
    [{ args: {}, result: { id: 'USR005' } }, { args: { id: 'USR005' } }],
    'Write to usr005, please.',
  ],
};
for (const [what, [calls, said]] of Object.entries(NO_LINKS)) {
  test(`no link: ${what}`, () => assert.deepEqual(linksOf(calls, said), []));
}

test('a value that the user said as a part of another is linked', () => {
  const calls: Call[] = [{ args: {}, result: { zip: '94016' } }, { args: { zip: '94016' } }];
  assert.deepEqual(linksOf(calls, 'Call 5594016, please.'), ['1.zip ← 0.zip']);
});

test('the earliest result is the source', () => {
  const calls: Call[] = [
    { args: {}, result: { id: 'USR005' } },
    { args: {}, result: { user_id: 'USR005' } },
    { args: { receiver: 'USR005' } },
  ];
  assert.deepEqual(linksOf(calls), ['2.receiver ← 0.id']);
});

test('huge and deep data costs bounded time, and gives no wrong link', async () => {
  let deep: Json = 'USR005';
  for (let level = 0; level < 5000; level++) deep = { deep };
  const wide = Array.from({ length: 300_000 }, (_, index) => `USR${index}`);
  for (const result of [deep, wide, Object.fromEntries(wide.map((id) => [`k_${id}`, id]))]) {
    const ms = await leastCpuOf(
      () => assert.deepEqual(linksOf([{ args: {}, result }, { args: { id: 'USR005' } }]), []),
      2000,
    );
    assert.ok(ms < 2000, `${ms} ms`);
  }
});

const value = fc.oneof(
  fc.constantFrom('USR005', 'USR006', 'a9s8d7f6', 'ok', 'a rather long sentence', '94016'),
  fc.constantFrom(1, 250, 94016, 457.23, true, null),
);
const data = fc.letrec<{ node: Json; leaf: Json }>((tie) => ({
  leaf: value,
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.dictionary(fc.constantFrom('id', 'user_id', 'price', 'token', '2024'), tie('node'), { maxKeys: 4 }),
    fc.array(tie('node'), { maxLength: 3 }),
  ),
})).node;
const calls = fc.array(fc.record({ name: fc.constant('s:t'), args: data, result: data }), { maxLength: 5 });

function at(root: Json | undefined, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((one, key) => (one as Record<string | number, unknown>)?.[key], root);
}

test('every link leads to an equal value of an earlier result, by names alone, whatever the calls are', () => {
  const property = fc.property(calls, (made) => {
    for (const { call, path, source } of findLinks(made)) {
      assert.ok(source.call < call);
      assert.ok(source.path.every((key) => typeof key === 'string'));
      const linked = at(made[source.call]?.result, source.path);
      assert.strictEqual(at(made[call]?.args, path), linked);
      // No earlier call passed or returned it.
      for (const { args, result } of made.slice(0, source.call))
        for (const text of [args, result].map((one) => JSON.stringify(one)))
          assert.ok(typeof linked !== 'string' || !text.includes(JSON.stringify(linked)));
    }
  });
  fc.assert(property, { numRuns: 2000 });
});

test('what follows a call changes no link before it', () => {
  const property = fc.property(calls, (made) => {
    const earlier = findLinks(made.slice(0, -1));
    assert.deepEqual(findLinks(made).slice(0, earlier.length), earlier);
  });
  fc.assert(property, { numRuns: 500 });
});
