import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { checkDialects } from './check-dialects.ts';
import { parseSql } from './parse-sql.ts';
import { readSql } from './read-sql.ts';
import { isPlainText, type SqlLiteral, sqlHole, sqlHoleSchema } from './sql-hole.ts';

const STATEMENTS = [
  "select id from customers where city = 'Oslo' and age >= 18 order by name limit 10 offset 20",
  "select * from t where d between '2026-01-01' and '2026-02-01' and n not between 1 and 5",
  "select * from t where d >= date '2026-01-01' and e < '2026-02-01'::timestamptz and f = cast(5 as numeric)",
  "select * from t where sku in ('A1','B2') and n in (1,2) and (a,b) = (c, 3)",
  "select * from t where name ilike '%chair%' and 'x' <> label and note is distinct from 'old'",
  'select * from t where a=5 and b!=6 and c<>7 and d<8 and e>= 9 and f = 10::text and g = 11 % 3 and 12 = h',
  'select a-1, b - 2, c*3, d / 4, -e+5, 6^f, (7), lag(a, 8) over () from t where -a < 9 and a -10 > b',
  "select coalesce(nick, 'none'), greatest(a, 1), nullif(b, 0) from t",
  "select 'open' as state, 1 as n union all select a, b from t where b > 2.5",
  'select status, count(*) from t group by status having count(*) > 5 order by 1 fetch first 3 rows only',
  "select sum(x) filter (where k = 'a') from t tablesample system (1) where y = 0",
  "with r as (select * from o where total > 99.5) select * from r join c on c.id = r.id and c.kind = 'x'",
  "select case when age < 18 then 'minor' when name = 'Ana' then 'ana' else 'adult' end from t",
  "select * from t where (select max(a) from u where b = 'it''s') > 1 # c",
  "select `a` from `t` where `city` = 'Ærø 🙂' and data->>'k' = 'v' -- it's\nlimit 5",
  "insert into t (a, b) values ('x', 1), ('y', 2)",
  "update t set a = 'x', b = b + 1 where c = 3; delete from t where d = 'y'",
  'select percentile_cont(0.5) within group (order by a), make_date(2026, 1, 31) from generate_series(1, 10)',
];

/** Texts that break out of a quote in one database or another, if nobody minds. */
// biome-ignore format: a table
const HOSTILE = [
  "'", "''", "'''", "'; drop table t; --", "' or 1=1 -- ", "' or '1'='1", '\\', "\\'", "\\' or 1=1 -- ", 'a\\',
  '--', '-- ', '/*', '*/', '/*! */', '#', ';', '$$', '$a$', '"', '`', ']', '%', '_', `\${x}`, `\`\${x}\``, '?', ':a', '$1',
  '\u0000', '\n', '\r', '\u001a', '\u2028', '\u00a0', 'ʼ', '＇', '\ud800', '🙂', '\u0301', '\ufeff', '\u202e',
  "it's", "'tis", "the boys'", "a'b'c", "a''b", 'x'.repeat(4_000), 'x'.repeat(4_001), `${"x'".repeat(1_999)}x`,
];

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { maxLength: 5 })
    .map((parts) => parts.join('')),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, -1, 0.1, 1e21, 1e-7, -1e21, 5e-324, 1.5),
);

const ajv = new Ajv2020({ allowUnionTypes: true });
const literals = STATEMENTS.flatMap((sql) =>
  (readSql(sql)?.literals ?? []).map((literal) => ({ sql, literal })),
);
const accepts = new Map(literals.map((one) => [one, ajv.compile(sqlHoleSchema(one.literal))]));

test('a value that the schema accepts replaces that literal alone, and is what the database reads', () => {
  assert.ok(literals.length > 60, `${literals.length} literals`);
  const anyCase = fc
    .constantFrom(...literals)
    .chain((one) => fc.tuple(fc.constant(one), one.literal.kind === 'text' ? text : number));
  fc.assert(
    fc.property(anyCase, ([one, value]) => {
      fc.pre(accepts.get(one)?.(value) === true);
      const { sql, literal } = one;
      const written = fill(sql, literal, value);
      assert.deepEqual(tree(written), tree(sql, { byte: byteAt(sql, literal.start), value }), written);
      assert.equal(readSql(written)?.isRead, readSql(sql)?.isRead);
    }),
    { ...runs(3_000), maxSkipsPerRun: 10_000 },
  );
});

test('the first value is accepted, and spelled as it was', () => {
  for (const one of literals) {
    const { sql, literal } = one;
    assert.equal(accepts.get(one)?.(literal.value), true, sql);
    assert.equal(fill(sql, literal, literal.value), sql);
  }
});

test('texts that some database would not read as written are refused', () => {
  const refused = HOSTILE.filter((value) => !isPlainText(value));
  for (const value of [
    "'",
    "a''b",
    "'tis",
    'a\\',
    "\\' or 1=1 -- ",
    '\n',
    '\u0000',
    '\ud800',
    'x'.repeat(4_001),
  ])
    assert.ok(refused.includes(value), value);
  for (const value of ["it's", '--', '/*', ';', '$$', '🙂', '']) assert.ok(isPlainText(value), value);
});

test('a place for integers takes no fraction, and a minus sign stands only where it is safe', () => {
  const schemas = (sql: string) => readSql(sql)?.literals.map(sqlHoleSchema);
  const integer = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  assert.deepEqual(schemas('select * from t limit 5'), [integer]);
  assert.deepEqual(schemas('select * from t where a > 5'), [{ type: 'number' }]);
  assert.deepEqual(schemas('select * from t where a>5 and b - 1 = c and d != 2::int'), [
    { type: 'number', minimum: 0 },
    { type: 'number', minimum: 0 },
    { type: 'number', minimum: 0 },
  ]);
});

/** Runs the code that stands for the statement with a hole in the place of one literal. */
function fill(sql: string, literal: SqlLiteral, value: unknown): string {
  const quoted = (part: string) => part.replace(/[\\`$]/g, '\\$&');
  const { text: hole } = sqlHole(literal, 'args.v');
  const template = `${quoted(sql.slice(0, literal.start))}${hole}${quoted(sql.slice(literal.end))}`;
  return new Function('args', `return \`${template}\``)({ v: value });
}

interface Change {
  byte: number;
  value: string | number;
}

/** The parser's tree without positions, after the constant at a byte was replaced. */
function tree(sql: string, change?: Change): unknown {
  const parsed = parseSql(checkDialects(sql)?.text ?? '');
  assert.ok(parsed, `does not parse: ${sql}`);
  return withoutPositions(parsed, change);
}

function withoutPositions(node: unknown, change: Change | undefined): unknown {
  if (Array.isArray(node)) return node.map((part) => withoutPositions(part, change));
  if (!isJsonObject(node)) return node;
  const isChanged = ({ location }: JsonObject) => change !== undefined && location === change.byte;
  const entries = Object.entries(node)
    .filter(([key]) => !/location$|_start$|_end$|^stmt_len$/.test(key))
    .map(([key, part]) => {
      if (change && key === 'A_Const' && isChanged(part as JsonObject)) return [key, constant(change.value)];
      return [key, withoutPositions(part, change)];
    });
  return Object.fromEntries(entries);
}

/** The parser's node for a value. Numbers beyond 32 bits are kept as texts. */
function constant(value: string | number): JsonObject {
  if (typeof value === 'string') return { sval: { sval: value } };
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 31) return { fval: { fval: String(value) } };
  return { ival: value === 0 ? {} : { ival: value } };
}

function byteAt(sql: string, index: number): number {
  return Buffer.byteLength(sql.slice(0, index));
}
