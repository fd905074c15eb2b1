import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SqlError } from './sql-error.ts';
import { onBothEngines } from './testing.ts';

onBothEngines('values come back with the same types', async ({ db }) => {
  const sql = `select 9007199254740991::int8 as int8, 7::int2 as int2, 1.5::float8 as float8, 0.1::numeric as numeric,
    true as bool, null::text as nothing, '{"a":[1,null]}'::jsonb as jsonb, '[2]'::json as json,
    '\\x00ff'::bytea as bytea, '2026-11-15T10:00:00.123Z'::timestamptz as timestamptz, '2026-11-15'::date as date,
    array[1,null]::int8[] as int8s, '{{a,b},{"c d",null}}'::text[] as texts, count(*) as count`;

  const { rows, rowCount } = await db.query(sql);

  assert.equal(rowCount, 1);
  assert.deepEqual(rows[0], {
    int8: 9007199254740991,
    int2: 7,
    float8: 1.5,
    numeric: '0.1',
    bool: true,
    nothing: null,
    jsonb: { a: [1, null] },
    json: [2],
    bytea: new Uint8Array([0, 255]),
    timestamptz: new Date('2026-11-15T10:00:00.123Z'),
    date: '2026-11-15',
    int8s: [1, null],
    texts: [
      ['a', 'b'],
      ['c d', null],
    ],
    count: 1,
  });
});

onBothEngines('parameters keep their values', async ({ db }) => {
  const when = new Date('2026-11-15T10:00:00.123Z');
  const { rows } = await db.query(
    'select $1::timestamptz as a, $2::jsonb as b, $3::bytea as c, $4::int8 as d, $5::boolean as e, $6::text as f, $7::jsonb as g',
    [when, { it: "isn't" }, new Uint8Array([1, 2]), 12, false, undefined, JSON.stringify([])],
  );
  assert.deepEqual(rows[0], {
    a: when,
    b: { it: "isn't" },
    c: new Uint8Array([1, 2]),
    d: 12,
    e: false,
    f: null,
    g: [],
  });
});

// PostgreSQL's text type cannot hold NUL.
const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));

onBothEngines('arrays and JSON of any text survive', async ({ db }) => {
  const property = fc.asyncProperty(
    fc.array(fc.option(storable)),
    fc.dictionary(storable, storable),
    async (texts, json) => {
      const { rows } = await db.query('select $1::text[] as texts, $2::jsonb as json', [texts, json]);
      assert.deepEqual(rows[0], { texts, json: { ...json } });
    },
  );
  await fc.assert(property, {
    numRuns: 50,
    examples: [[['"', '\\', '{a,b}', 'NULL', '', null], { '"': '\\' }]],
  });
});

onBothEngines('row counts are those of the statement', async ({ db }) => {
  await db.query('create table t (n integer)');
  const inserted = await db.query('insert into t select generate_series(1, 5)');
  const updated = await db.query('update t set n = n + 1 where n > 3');
  const created = await db.query('create table u (n integer)');
  assert.deepEqual([inserted.rowCount, updated.rowCount, created.rowCount], [5, 2, 0]);
});

onBothEngines('a refused statement gives its reason in fields', async ({ db }) => {
  await db.query('create table t (n integer constraint only_once unique)');
  await db.query('insert into t values (1)');
  await assert.rejects(db.query('insert into t values (1)'), (error) => {
    assert.ok(error instanceof SqlError);
    assert.equal(error.code, '23505');
    assert.equal(error.constraint, 'only_once');
    assert.match(error.stack ?? '', /engines\.test\.ts/);
    return true;
  });
  assert.equal((await db.query('select * from t')).rowCount, 1);
});

onBothEngines('one call is one statement', async ({ db }) => {
  await assert.rejects(db.query('select 1; select 2'), { code: '42601' });
});
