import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonSchema } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { runProgram } from '../../testing/programs/run-program.ts';
import { sqlText } from '../sql/sql-hole.ts';
import { parse } from '../syntax/parse.ts';
import { generalise } from './generalise.ts';
import { inferParametersSchema } from './infer-parameters.ts';
import { MAX_PARAMETERS } from './parameter-names.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { query: { type: 'string' }, project_id: { type: 'string' }, text: { type: 'string' } },
  required: ['query', 'project_id', 'text'],
};
const toolSchema = () => SCHEMA;

function learned(source: string) {
  const { code, parameters } = generalise(parse(source), { toolSchema });
  return { code, parameters, schema: inferParametersSchema(parse(code), { parameters, toolSchema }) };
}

/** `#` stands for the dollar of a template, and `<x>` for the hole of a text. */
function shown(code: string): string {
  return code.replaceAll('$', '#').replace(/'#\{args\.(\w+)\.replaceAll\("'", "''"\)\}'/g, '<$1>');
}

const dollars = (text: string) => text.replaceAll('#', '$');
const run = (sql: string) => `return await mcp.db.execute_sql({ query: ${sql} })`;

test('the constants of a select become parameters in their own span', () => {
  const cases: [written: string, stored: string][] = [
    [
      `"select a from t where city = 'Oslo' limit 5"`,
      '`select a from t where city = <city> limit #{args.limit}`',
    ],
    [
      "'select a from t where total > 100 and x <= 2.5'",
      '`select a from t where total > #{args.min_total} and x <= #{args.max_x}`',
    ],
    ["`select a\n  from t\n  where city = 'Oslo'`", '`select a\n  from t\n  where city = <city>`'],
    [
      `"select a from t where d between '2026-01-01' and '2026-02-01'"`,
      '`select a from t where d between <min_d> and <max_d>`',
    ],
    [`"select '#{a}\`' as a from t where city = 'Ål'"`, '`select <a> as a from t where city = <city>`'],
    [
      `"select a from t where lower(city) = 'oslo' or b ilike '%chair%'"`,
      '`select a from t where lower(city) = <city> or b ilike <b>`',
    ],
    [`"select a from t where city = 'it''s' "`, '`select a from t where city = <city> `'],
  ];
  for (const [written, stored] of cases) {
    assert.equal(shown(learned(run(dollars(written))).code), run(stored), written);
  }
});

test('constants beyond the most parameters stay in the text', () => {
  const columns = Array.from({ length: MAX_PARAMETERS + 5 }, (_, at) => `c${at} = 'value ${at}'`);
  const { code, parameters } = learned(run(JSON.stringify(`select a from t where ${columns.join(' and ')}`)));
  assert.equal(parameters.length, MAX_PARAMETERS);
  assert.ok(code.includes(`= 'value ${MAX_PARAMETERS}' and`) && !code.includes("'value 7'"), code);
});

test('what is no read, is not understood, or may be a secret stays as it is', () => {
  for (const sql of [
    "delete from t where city = 'Oslo'",
    "update t set city = 'Oslo' where id = 7421",
    "insert into t (city) values ('Oslo')",
    "select set_city(a) from t where city = 'Oslo'",
    "select a into b from t where city = 'Oslo'",
    "select a from t where city = 'Oslo' for update",
    "with d as (delete from t where city = 'Oslo' returning a) select a from d",
    "select a from t where city = 'Oslo'; drop table t",
    "select a from t where city = 'Oslo' -- it's\\\\'",
    "select a, from t where where city = 'Oslo'",
    "select a from t where city = E'Oslo' order by 1",
  ]) {
    const code = run(JSON.stringify(sql));
    assert.deepEqual(learned(code), { ...learned(code), code, parameters: [] }, sql);
  }
  const { code } = learned(run(`"select a from t where password = 'hunter2hunter2' and city = 'Oslo'"`));
  assert.ok(!code.includes('hunter2') && code.includes('Oslo'), code);
});

test('equal literals of the program and constants of SQL are one, as between other literals', () => {
  const cases: [code: string, stored: RegExp, names: string[]][] = [
    [
      `const rows = ${run(`"select a from t where city = 'Oslo'"`).slice(7)}; return { rows, title: "Customers in Oslo" }`,
      /city = <city>.*`Customers in #\{args\.city\}`/,
      ['city'],
    ],
    [
      `const rows = ${run('"select * from t where total < 25.5"').slice(7)}; if (rows[0].total > 25.5) throw new Error("x"); return rows`,
      /total < #\{args\.(\w+)\}.*total > args\.\1\)/,
      ['max_total'],
    ],
    [
      `const a = ${run(`"select a from t where city = 'Oslo'"`).slice(7)}; const b = ${run(`"select count(*) from u where town = 'Oslo'"`).slice(7)}; return [a, b]`,
      /city = <city>.*town = <city>/,
      ['city'],
    ],
    // A part of another constant may or may not follow.
    [
      run(`"select a from t where city = 'Oslo' and area = 'Oslo-West'"`),
      /city = 'Oslo' and area = <area>/,
      ['area'],
    ],
  ];
  for (const [code, stored, names] of cases) {
    const { code: saved, parameters } = learned(code);
    assert.match(shown(saved), stored);
    assert.deepEqual(
      parameters.map(({ name }) => name),
      names,
    );
  }
});

test('a call that only reads demands nothing, whatever its tool may do', () => {
  const call = (sql: string) => `return await mcp.db.execute_sql({ project_id: "shop-7", query: ${sql} })`;
  const isRequired = (code: string) => learned(code).schema.required;
  assert.equal(isRequired(call(`"select a from t where city = 'Oslo'"`)), undefined);
  assert.equal(
    isRequired(`const c = "Oslo"; ${call(`\`select a from t where city = '\${c}'\``)}`),
    undefined,
  );
  assert.deepEqual(isRequired(call(`"delete from t where city = 'Oslo'"`)), ['project_id']);
  assert.deepEqual(isRequired(call('JSON.parse(rows).query')), ['project_id']);
  const saves = `return await mcp.db.save_query({ project_id: "shop-7", query: "select a from t where city = 'Oslo'" })`;
  assert.deepEqual(isRequired(saves), ['project_id']);
});

test('a value that code pastes into SQL is held to its place', () => {
  const pasted = `const city = "Oslo"; const n = 5;
    ${run(dollars("`select a from t where city = '#{city}' and b > #{n} and c = 'x-ray'`"))}`;
  const { schema } = learned(pasted);
  const accepts = new Ajv2020().compile(schema);
  assert.ok(accepts({ city: 'Bergen', n: 7, c: "it's" }));
  for (const args of [
    { city: "it's" },
    { city: '\\' },
    { n: '1; drop table t' },
    { c: "'; drop table t; --" },
  ])
    assert.ok(!accepts(args), JSON.stringify(args));
  const list = `const out = []; for (const c of ["Oslo", "Rome"]) out.push(await mcp.db.execute_sql({ query: "select a from t where city = '" + c + "'" })); return out`;
  const each = new Ajv2020().compile(learned(list).schema);
  const [name = ''] = Object.keys(learned(list).schema.properties ?? {});
  assert.ok(each({ [name]: ['Bergen'] }));
  assert.ok(!each({ [name]: ['Bergen', "x' or '1'='1"] }));
  // Its own value has quotes, so no schema could hold others.
  const escaped = `const c = "it''s"; ${run(dollars("`select a from t where city = '#{c}'`"))}`;
  assert.deepEqual(learned(escaped).parameters, []);
});

test('code that was edited and sent again keeps its values in their places', () => {
  const { code } = learned(run(`"select a from t where city = 'Oslo' limit 5"`));
  const edited = code.replace('select a', 'select a, b');
  for (const given of [undefined, { city: 'Rome', limit: 9 }]) {
    const schema = inferParametersSchema(parse(edited), { toolSchema, given });
    const accepts = new Ajv2020().compile(schema);
    assert.ok(accepts({ city: "Coeur d'Alene", limit: 1 }));
    assert.ok(!accepts({ city: '\\', limit: 1 }) && !accepts({ city: 'Rome', limit: '1; drop table t' }));
  }
  // Values of a run that the schema would refuse are those of somebody who writes SQL in another way.
  const odd = inferParametersSchema(parse(edited), { toolSchema, given: { city: 'Rome', limit: 'all' } });
  assert.ok(new Ajv2020().compile(odd)({ city: 'Rome', limit: 'all' }));
});

test('no value is written into SQL where it would have to be quoted', () => {
  const say = 'await mcp.log.say({ text: "Oslo" });';
  for (const sql of [
    `["select a from t", "where city = 'Oslo'"].join(" ")`,
    `"delete from t where city = 'Oslo' and b = 1"`,
    dollars("`delete from t where city = 'Oslo' and b = #{Date.now()}`"),
    '"select a from " + mcp.name + " where city = \'Oslo\'"',
  ])
    assert.ok(learned(`${say} ${run(sql)}`).code.includes("city = 'Oslo'"), sql);
});

/** A program in one style, with its data written into it. */
type Style = (data: { city: string; limit: number; total: number }) => string;

const statement = ({ city, limit, total }: Parameters<Style>[0]) =>
  `select a, b from t where city = ${sqlText(city)} and (total > ${total} or c = 'x')\n limit ${limit}`;
const template = (text: string) => `\`${text.replace(/[\\`$]/g, '\\$&')}\``;
const STYLES: Style[] = [
  (data) => run(JSON.stringify(statement(data))),
  (data) =>
    `const rows = ${run(template(statement(data))).slice(7)}; return { rows, where: ${JSON.stringify(data.city)} };`,
  (data) => `const sql = ${JSON.stringify(statement(data))}; ${run('sql')}`,
  ({ city, ...data }) => {
    const [before, after] = statement({ ...data, city: '§' })
      .split('§')
      .map((part) => JSON.stringify(part));
    return `const [a, b] = [1, 2]; ${run(`${before} + ${JSON.stringify(sqlText(city).slice(1, -1))} + ${after}`)}`;
  },
];
const FIRST = { city: 'Bodø 7', limit: 5, total: 2.5 };

test('with any values that the schema accepts, the SQL is that of the program with those values written in', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc
      .array(fc.constantFrom("'", 'a', '\\', '--', dollars('#{x}'), '`', '"', '\n', '%', '🙂', ';'), {
        maxLength: 6,
      })
      .map((all) => all.join('')),
  );
  const data = fc.record({ city: text, limit: fc.integer({ min: -2 }), total: fc.double({ noNaN: true }) });
  const known = STYLES.map((style) => ({ style, ...learned(style(FIRST)) })).map((one) => {
    const names = one.parameters.map(({ name }) => name);
    return { ...one, names, accepts: new Ajv2020().compile(one.schema) };
  });
  assert.deepEqual(
    known.map(({ names }) => names.includes('limit') && names.includes('min_total')),
    [true, true, true, true],
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...known), data, async ({ style, code, names, accepts }, values) => {
      const [city] = names.filter((name) => name === 'city');
      const made = { ...FIRST, limit: values.limit, total: values.total, ...(city && { city: values.city }) };
      const args = { ...(city && { city: made.city }), limit: made.limit, min_total: made.total, c: 'x' };
      const given = Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
      fc.pre(accepts(given));
      const answer = () => ({ value: [{ a: 1 }] });
      const [sent, wanted] = [
        await runProgram(code, { args: given, answer }),
        await runProgram(style(made), { answer }),
      ];
      assert.deepEqual(
        sent.calls.map((call) => call.args),
        wanted.calls.map((call) => call.args),
      );
      assert.deepEqual(sent.outcome, wanted.outcome);
    }),
    { ...runs(300), maxSkipsPerRun: 1000 },
  );
});
