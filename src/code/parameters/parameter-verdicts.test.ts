import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonSchema } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { parse } from '../syntax/parse.ts';
import { NO_RUN } from './extract-secrets.ts';
import { type Generalised, generalise } from './generalise.ts';
import { surveyLiterals } from './literal-survey.ts';
import type { Occurrence } from './occurrence.ts';
import { type KnownVerdicts, ParameterVerdicts } from './parameter-verdicts.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    value: { type: 'string' },
    message: { type: 'string' },
    list: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } } } },
  },
};

function learned(source: string, verdicts?: KnownVerdicts): Generalised {
  const nameOf = (name: string) => name.toLowerCase();
  return generalise(parse(source), { toolSchema: () => SCHEMA, nameOf, verdicts });
}

test('one value that is a program keeps all values of its parameter in the code', () => {
  const { code, verdicts } = learned(
    'mcp.a.b({ text: "foo" }); mcp.A.b({ text: "SELECT 1" }); mcp.a.c({ text: "bar" })',
  );
  assert.equal(code, 'mcp.a.b({ text: "foo" }); mcp.A.b({ text: "SELECT 1" }); mcp.a.c({ text: args.text })');
  assert.deepEqual(verdicts, [
    { tool: 'a:b', path: 'text', kind: 'program', rule: 'SQL' },
    { tool: 'a:c', path: 'text', kind: 'data', rule: 'payload' },
  ]);
});

test('the first verdict holds for later values, whatever they look like', () => {
  const data = new Map([['a:b text', 'data']] as const);
  const program = new Map([['a:b text', 'program']] as const);
  const later = learned('mcp.a.b({ text: "SELECT 1" })', data);
  assert.equal(later.code, 'mcp.a.b({ text: args.text })');
  assert.deepEqual(later.verdicts, []);
  assert.equal(learned('mcp.a.b({ text: "foo" })', program).code, 'mcp.a.b({ text: "foo" })');
});

test('names and schemas speak before a verdict, and leave none', () => {
  const known = new Map([['a:b message', 'program']] as const);
  const { code, verdicts } = learned('mcp.a.b({ message: "Select me" }); mcp.a.c({ sql: "foo" })', known);
  assert.equal(code, 'mcp.a.b({ message: args.message }); mcp.a.c({ sql: "foo" })');
  assert.deepEqual(verdicts, []);
});

test('a secret is judged alone, and so is a value that cannot be a default', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const { code, verdicts } = learned(`mcp.a.b({ text: "${token}" }); mcp.a.b({ text: "SELECT 1" })`);
  assert.equal(code, 'mcp.a.b({ text: args.text }); mcp.a.b({ text: "SELECT 1" })');
  assert.deepEqual(
    verdicts.map(({ kind }) => kind),
    ['program'],
  );
  const long = learned(`mcp.a.b({ text: "${'x '.repeat(2000)}" })`, new Map([['a:b text', 'data']] as const));
  assert.match(long.code, /x x x/);
  assert.deepEqual(learned(`mcp.a.b({ message: "a\\u0000" })`).verdicts, []);
});

test('paths into lists are parameters; keys that the schema does not have are not remembered', () => {
  const { verdicts } = learned(
    'mcp.a.b({ list: [{ text: "foo" }, { text: "bar" }], other: { "x y": "z" } })',
  );
  assert.deepEqual(
    verdicts.map(({ path }) => path),
    ['list[].text'],
  );
});

const TOOLS = ['a.b', 'A.B', 'a.c'] as const;
const KEYS = ['text', 'value', 'message', 'sql', 'query'] as const;
const VALUES = [
  ...[
    'foo',
    'I am on my way',
    'SELECT count(*) FROM t',
    'DELETE FROM t',
    '',
    'a.json',
    '^x.*$',
    'Dear {{name}}',
  ],
  ...['x'.repeat(2001), '\u0000', `ghp_${'a1B2'.repeat(9)}`, 'git push --force', '{"a":1}', 'a > b', '2+2'],
];

const calls = fc.array(
  fc.record({
    tool: fc.constantFrom(...TOOLS),
    key: fc.constantFrom(...KEYS),
    value: fc.oneof(fc.constantFrom(...VALUES), fc.string({ maxLength: 20 })),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The verdicts on the values of some calls, without secrets. */
function kindsOf(
  given: readonly { tool: string; key: string; value: string }[],
  known?: KnownVerdicts,
): { found: KnownVerdicts; kinds: { place: string; kind: string; by: string }[] } {
  const source = given.map(({ tool, key, value }) => `mcp.${tool}({ ${key}: ${JSON.stringify(value)} });`);
  const verdicts = new ParameterVerdicts(known);
  const nameOf = (name: string) => name.toLowerCase();
  const { scalars } = surveyLiterals(
    parse(source.join('\n')),
    { toolSchema: () => SCHEMA, nameOf },
    { verdicts, ofRun: NO_RUN },
  );
  assert.equal(scalars.length, given.length);
  const kinds = given.map(({ tool, key }, at) => {
    const { kind, by } = (scalars[at] as Occurrence).classified;
    return { place: `${tool.toLowerCase().replace('.', ':')} ${key}`, kind, by };
  });
  return {
    found: new Map(verdicts.found().map(({ tool, path, kind }) => [`${tool} ${path}`, kind])),
    kinds: kinds.filter(({ kind }) => kind !== 'secret'),
  };
}

test('in one program the verdict is a function of tool and path', () => {
  fc.assert(
    fc.property(calls, (given) => {
      const { kinds } = kindsOf(given);
      for (const [place, group] of Map.groupBy(kinds, (one) => one.place))
        assert.equal(new Set(group.map(({ kind }) => kind)).size, 1, place);
    }),
    runs(500),
  );
});

test('across programs the verdict by shape is a function of tool and path', () => {
  fc.assert(
    fc.property(calls, calls, (first, second) => {
      const known = kindsOf(first).found;
      const { found, kinds } = kindsOf(second, known);
      for (const { place, kind, by } of kinds)
        if (by === 'shape' && known.has(place)) assert.equal(kind, known.get(place), place);
      for (const place of found.keys()) assert.ok(!known.has(place), place);
    }),
    runs(500),
  );
});
