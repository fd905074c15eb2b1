import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReadSql, readSql } from './read-sql.ts';

/** Shows each literal as `column=value`; `?` if it has no plain column. */
function literals(text: string): string | undefined {
  return readSql(text)
    ?.literals.map(({ column = '?', value }) => `${column}=${JSON.stringify(value)}`)
    .join(' ');
}

// biome-ignore format: a table
const READS: readonly (readonly [sql: string, literals: string])[] = [
  ["select id from customers where city = 'Oslo' order by name", 'city="Oslo"'],
  ["SELECT * FROM users WHERE lower(u.City) = 'oslo' AND age >= 18 LIMIT 10 OFFSET 20", 'city="oslo" age=18 limit=10 offset=20'],
  ["select * from t where d between '2026-01-01' and '2026-02-01'", 'd="2026-01-01" d="2026-02-01"'],
  ["select * from t where d >= date '2026-01-01' and e < '2026-02-01'::timestamptz", 'd="2026-01-01" e="2026-02-01"'],
  ["select * from t where sku in ('A1', 'B2')", 'sku="A1" sku="B2"'],
  ["select * from t where name ilike '%chair%'", 'name="%chair%"'],
  ["select * from t where data->>'city' = 'Oslo' and data @> '{\"a\": 1}'", 'city="Oslo"'],
  ["select * from t where name = 'it''s'", 'name="it\'s"'],
  ["select * from t where 'Ærø' = name and n = 5", 'name="Ærø" n=5'],
  ["select * from t where extract(year from d) = 2026", 'year=2026'],
  ['select status, count(*) from t group by status having count(*) > 5 order by 1', 'count=5'],
  ["select date_trunc('month', d), sum(total * 1.25) from t where d > now() - interval '7 days' group by 1", '?=1.25'],
  ["select to_char(d, 'YYYY-MM') as m, count(*) filter (where status = 'paid') from t group by m", 'status="paid"'],
  ["select case when age < 18 then 'minor' else 'adult' end, count(*) from t group by 1", 'age=18'],
  ["select price / 100 as p, count(*) from t group by price / 100", ''],
  ['select distinct n % 10 from t where n > 10 order by n % 10 limit 10', 'n=10 limit=10'],
  ["with recent as (select * from orders where total > 99.5) select count(*) from recent", 'total=99.5'],
  ['with recursive t(n) as (select 1 union all select n + 1 from t where n < 100) select sum(n) from t', '?=1 n=100'],
  ["select * from a where exists (select 1 from b where b.kind = 'x' and b.id = a.id)", 'kind="x"'],
  ["select 'open' as state, count(*) from t union all select 'all', count(*) from t fetch first 3 rows only", 'state="open" limit=3'],
  ["select * from generate_series('2026-01-01'::date, '2026-12-31'::date, '1 month') as d", '?="2026-01-01" ?="2026-12-31"'],
  ['SELECT `id` FROM `users` WHERE `city` = \'Oslo\' LIMIT 10', 'city="Oslo" limit=10'],
  ["SELECT name FROM sqlite_master WHERE type='table'", 'type="table"'],
  ["-- top\nselect * /* all */ from t where a = 1;", 'a=1'],
  ["select 1; select * from t where a = 'x'", 'a="x"'],
  ["select rank() over (partition by dept order by salary rows between 6 preceding and current row) from t limit 5", 'limit=5'],
  // Constants of the program.
  ['select 1 where 1 = 1', ''],
  ["select 'x'::regclass, a[1], cast(a as numeric(10, 2)), interval '30' day, array['x'] from t order by 1, 2", ''],
  ["select * from t where a ~ '^x' and b similar to 'x' and c = E'x' and d = 1.50 and e = -5", ''],
  ["select split_part(a, ',', 2), concat(a, ' ', b), round(c, 2), a || '-' || b from t", ''],
];

for (const [sql, expected] of READS)
  test(`reads ${sql.slice(0, 80).replaceAll('\n', ' ')}`, () => {
    assert.equal(isReadSql(sql), true);
    assert.equal(literals(sql), expected);
  });

test('a text that a hole could not hold is no literal', () => {
  assert.equal(literals("select * from t where a = 'C:\\dir' and b = 'two\nlines' and c = 'x'"), 'c="x"');
});

test('the span of a literal includes its quotes, after characters of several bytes, too', () => {
  const sql = "select * from t where a = '🙂 Ærø' and b = 'it''s'";
  const spans = readSql(sql)?.literals.map(({ start, end }) => sql.slice(start, end));
  assert.deepEqual(spans, ["'🙂 Ærø'", "'it''s'"]);
});

test('changes are told apart, and their values found', () => {
  // biome-ignore format: a table
  const changes = [
    ["insert into users (name, age) values ('Ana', 5)", 'name="Ana" age=5'],
    ["update t set status = 'done' where id = 7", 'status="done" id=7'],
    ["delete from t where city = 'Oslo'", 'city="Oslo"'],
    ['with gone as (delete from t where id = 1 returning *) select * from gone', 'id=1'],
    ['select * into copy from t', ''],
    ['select * from t where id = 1 for update', 'id=1'],
    ["select nextval('ids')", ''],
    ['select pg_sleep(5)', ''],
    ['select my.lower(a) from t', ''],
    ['select a operator(my.+) b from t', ''],
    ['select ids.nextval from dual', ''],
    ['select * from dblink(\'x\') as t(a int)', ''],
    ["select * from t where a = (select set_config('a', 'b', false))", ''],
    ['select 1; drop table t', ''],
    ['select a delete from t', ''],
    ['explain analyze select 1', ''],
    ['create table t (id int default 5)', ''],
  ] as const;
  for (const [sql, expected] of changes) {
    assert.equal(readSql(sql)?.isRead, false, sql);
    assert.equal(literals(sql), expected, sql);
  }
});

test('texts that are no SQL, or that databases read in different ways, are not read', () => {
  // biome-ignore format: a table
  const texts = [
    '', '   ', '-- nothing', ';', 'Select a seat from the list.', 'hello', 'show me', 'begin', 'with love',
    'select * from', "select 'a", 'select "a', 'select `a', 'select /* a',
    // MySQL: escapes, comments that run, comments that do not begin or end there.
    "select '\\', sleep(5), '", "select 1 /*! into outfile 'x' */", 'select 1 /*M! , 2 */', 'select a --b\n from t',
    "select 1 # '\n; drop table t; -- '", "select 1 -- \r '\n; drop table t; -- '",
    // SQL Server and SQLite quote names with brackets, BigQuery strings with three quotes, Snowflake comments with slashes.
    "select array['] ; drop table t; -- ']", 'select array[1 /* ] \' */ ]', "select '''' , '''; drop table t; -- '",
    "select 1 // '\n; drop table t; -- '",
    // PostgreSQL alone nests comments and quotes with dollars. Oracle has quotes of its own.
    'select 1 /* /* */ */', "select $$ ' $$", "select $a$ ' $a$", "select q'[it's]'",
    'select a\u00a0delete from t', 'select 1\u0000; drop table t', 'select \ud800', 'select a\u2028 from t',
    `select ${'1,'.repeat(10_000)}1`,
  ];
  for (const text of texts) {
    assert.equal(readSql(text), undefined, text.slice(0, 100));
    assert.equal(isReadSql(text), false);
  }
});

test('hostile texts are refused or read within a moment', () => {
  const fill = (before: string, open: string, inner: string, close: string) => {
    const times = Math.floor((19_900 - before.length - inner.length) / (open.length + close.length));
    return before + open.repeat(times) + inner + close.repeat(times);
  };
  // biome-ignore format: a table
  const texts = [
    fill('select ', '(', '1', ')'), fill('select ', 'lower(', 'a', ')'), fill('select ', 'not ', 'a', ''),
    fill('select ', '- ', 'a', ''), fill('select ', 'coalesce(', 'a', ')'), fill('select ', '(select ', '1', ')'),
    fill('select * from ', '(select * from ', 't', ') x'), fill('select ', 'case when a = 1 then ', '1', ' end'),
    fill('select 1 in (', '1,', '1', ''), fill('select ', 'a || ', 'a', ''), fill('select 1', ' union select 1', '', ''),
    fill('select ', "a = 'x' and ", 'a', ''), fill('select a', '::text', '', ''), fill('select a', '[1]', '', ''),
    fill('', 'with a as (', 'select 1', ') select 1'), fill('', 'select 1;', '', ''), fill('select ', '/*', '', ''),
    fill('select ', "'", '', ''), fill('select ', '`', '', ''), fill('select /', '*', '', ''), fill('select ', '#', '', ''),
    fill('select * from ', '(select a + 1, 1 as b from ', 't', ' group by a + 1) x'), fill('select ', '"', 'a', '"'),
  ];
  for (const text of texts) {
    const start = performance.now();
    readSql(text);
    const ms = performance.now() - start;
    assert.ok(ms < 2000, `${text.slice(0, 40)} took ${ms} ms`);
  }
  assert.equal(isReadSql('select 1'), true);
});
