import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { transformSync } from 'oxc-transform';
import {
  findReferences,
  generalise,
  hashOf,
  inferParametersSchema,
  normalForm,
  parse,
  rewriteReferences,
  stripTypes,
} from '../../src/code/testing.ts';
import type { JsonSchema } from '../../src/json.ts';
import { runs, times } from '../../src/testing/effort.ts';
import { draftPairs, drafts, PLAIN, styleOf, TOOLS, write } from './programs.ts';
import { run, runJavaScript } from './run.ts';

const GIVEN = { args: { given: 'g' } };
const ajv = new Ajv2020({ useDefaults: true, strict: false });

/** Half of the tools are capabilities, known by an FQDN that does not show their name. */
const FQDNS = new Map<string, string>(
  TOOLS.filter((_, index) => index % 2 === 0).map((name, index) => [
    name,
    `local.default.n${index}.a.0${index}0${index}`,
  ]),
);
const SPELLINGS = [...FQDNS].flatMap(([name, fqdn]) => {
  const [server, tool = ''] = name.split(':');
  const camel = tool.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
  return [[name, fqdn] as const, [`${server}:${camel}`, fqdn] as const];
});
const TO_FQDN = new Map(SPELLINGS);
const TO_NAME = new Map([...FQDNS].map(([name, fqdn]) => [fqdn, name]));

/** Prints a program with oxc: another printer and another type eraser to compare with. */
function reprinted(source: string): string {
  const { code, errors } = transformSync('p.ts', `async function p() {${source}\n}`, {
    sourceType: 'script',
  });
  assert.deepEqual(errors, []);
  return code.slice(code.indexOf('{') + 1, code.lastIndexOf('}'));
}

const DEMANDING: JsonSchema = {
  type: 'object',
  required: ['path', 'limit', 'query', 'name', 'deep', 'id'],
  properties: { deep: { type: 'object', required: ['path', 'limit', 'query', 'name', 'deep', 'id'] } },
};

/** Makes a value for the argument `given`; undefined if the program does not take it. */
function sampleOf(schema: JsonSchema | boolean | undefined): unknown {
  if (typeof schema !== 'object') return undefined;
  return { number: 7, boolean: true, array: ['g'], object: { n: 1 } }[String(schema.type)] ?? 'g';
}

test('renaming locals and reformatting keep the hash', () => {
  fc.assert(
    fc.property(drafts, fc.nat(), fc.nat(), (draft, one, other) => {
      const first = write(draft, styleOf(one, draft));
      const second = write(draft, styleOf(other, draft));
      assert.equal(normalForm(first), normalForm(second));
      assert.equal(normalForm(first), normalForm(reprinted(second)));
    }),
    runs(200),
  );
});

test('programs that do different things have different hashes', async () => {
  await fc.assert(
    fc.asyncProperty(draftPairs, async ([one, other]) => {
      const [first, second] = [write(one, PLAIN), write(other, PLAIN)];
      if (hashOf(first) !== hashOf(second)) return;
      assert.deepEqual(await run(first, GIVEN), await run(second, GIVEN));
    }),
    runs(200),
  );
});

test('erasing types keeps behaviour and positions', async () => {
  await fc.assert(
    fc.asyncProperty(drafts, fc.nat(), async (draft, seed) => {
      const source = write(draft, styleOf(seed, draft));
      const stripped = stripTypes(source);
      assert.equal(stripped.length, source.length);
      for (let at = 0; at < source.length; at += 1) {
        assert.ok(
          stripped[at] === source[at] || /[ ;()]/.test(stripped[at] as string),
          source.slice(at, at + 20),
        );
      }
      assert.equal(normalForm(stripped), normalForm(source));
      assert.deepEqual(await run(stripped, GIVEN), await runJavaScript(reprinted(source), GIVEN));
    }),
    runs(150),
  );
});

test('rewriting references keeps behaviour', async () => {
  await fc.assert(
    fc.asyncProperty(drafts, fc.nat(), async (draft, seed) => {
      const source = write(draft, styleOf(seed, draft));
      const saved = rewriteReferences(source, TO_FQDN);
      assert.deepEqual(await run(saved, { ...GIVEN, meaning: TO_NAME }), await run(source, GIVEN));
    }),
    runs(150),
  );
});

test('rewriting references to FQDNs and back restores the names', () => {
  const named = (source: string): unknown[] =>
    findReferences(parse(source)).map(({ name, called }) => [
      TO_NAME.get(TO_FQDN.get(name ?? '') ?? '') ?? name,
      called,
    ]);
  fc.assert(
    fc.property(drafts, fc.nat(), (draft, seed) => {
      const source = write(draft, styleOf(seed, draft));
      const saved = rewriteReferences(source, TO_FQDN);
      const shown = rewriteReferences(saved, TO_NAME);
      assert.deepEqual(named(shown), named(source));
      assert.equal(rewriteReferences(shown, TO_FQDN), saved);
      const saves = findReferences(parse(saved)).map(({ name }) => name);
      assert.ok(!saves.some((name) => name !== undefined && FQDNS.has(name)));
    }),
    runs(150),
  );
});

test('a generalised program run without arguments does what the original did', async () => {
  let lifted = 0;
  await fc.assert(
    fc.asyncProperty(drafts, fc.nat(), async (draft, seed) => {
      const source = write(draft, styleOf(seed, draft));
      const { code, parameters, unsafe } = generalise(parse(source), { toolSchema: () => undefined });
      assert.equal(unsafe, undefined);
      lifted += parameters.length;
      const schema = inferParametersSchema(parse(code), { parameters, toolSchema: () => undefined });
      const given = sampleOf(schema.properties?.given);
      const args: Record<string, unknown> = given === undefined ? {} : { given };
      const expected = await run(source, { args });
      assert.ok(ajv.validate(schema, args), JSON.stringify([ajv.errors, schema]));
      assert.deepEqual(await run(code, { args }), expected);
    }),
    runs(200),
  );
  assert.ok(lifted > times(100), `only ${lifted} literals became parameters`);
});

test('with the lifted arguments, a generalised program makes the calls of the original, whatever is required', async () => {
  let required = 0;
  // Every tool demands all that it is given, and none is read-only.
  const toolSchema = () => DEMANDING;
  await fc.assert(
    fc.asyncProperty(drafts, fc.nat(), async (draft, seed) => {
      const source = write(draft, styleOf(seed, draft));
      const { code, parameters } = generalise(parse(source), { toolSchema, isReadOnly: () => false });
      const schema = inferParametersSchema(parse(code), { parameters, toolSchema });
      const names = parameters.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
      for (const name of names) assert.match(name, /^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
      const examples = parameters.filter((one) => one.example !== undefined);
      required += examples.length;
      assert.ok(examples.every(({ name }) => schema.required?.includes(name)));
      const given = sampleOf(schema.properties?.given);
      const own: Record<string, unknown> = given === undefined ? {} : { given };
      const lifted = Object.fromEntries(parameters.map((one) => [one.name, one.default ?? one.example]));
      const args = { ...own, ...lifted };
      assert.ok(ajv.validate(schema, args), JSON.stringify([ajv.errors, schema]));
      assert.deepEqual(await run(code, { args }), await run(source, { args: own }));
    }),
    runs(200),
  );
  assert.ok(required > times(50), `only ${required} literals became required`);
});

test('the names of parameters depend on the calls and keys, not on the data', () => {
  // Equal values are one parameter, so these differ.
  const values = fc.uniqueArray(fc.integer({ min: 2000 }), { minLength: 18, maxLength: 18 });
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom(...TOOLS),
      fc.uniqueArray(fc.constantFrom('path', 'limit', 'name'), { minLength: 1 }),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(steps, values, values, (calls, one, other) => {
      const named = (data: readonly unknown[]) => {
        let at = 0;
        const next = () => JSON.stringify(data[at++]);
        const lines = calls.map(
          ([tool, keys]) => `await mcp["${tool}"]({ ${keys.map((key) => `${key}: ${next()}`).join(', ')} });`,
        );
        return generalise(parse(lines.join('\n')), { toolSchema: () => undefined });
      };
      const [first, second] = [named(one), named(other)];
      assert.equal(first.code, second.code);
      assert.deepEqual(
        first.parameters.map(({ name }) => name),
        second.parameters.map(({ name }) => name),
      );
      assert.ok(first.parameters.every(({ name }) => !/_\d+$/.test(name)));
    }),
    runs(200),
  );
});

test('generalising twice changes nothing', () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      const once = generalise(parse(write(draft, PLAIN)), { toolSchema: () => undefined }).code;
      const twice = generalise(parse(once), { toolSchema: () => undefined });
      assert.deepEqual([twice.code, twice.parameters], [once, []]);
    }),
    runs(100),
  );
});

test('a secret in a program is stored nowhere', () => {
  const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  fc.assert(
    fc.property(drafts, fc.nat(), (draft, seed) => {
      const source = write(draft, styleOf(seed, draft)).replaceAll(/\bmain\b|\/\* c \*\//g, (found) =>
        found.replace(/main|c/, secret),
      );
      const { code, parameters, unsafe } = generalise(parse(source), { toolSchema: () => undefined });
      const schema = inferParametersSchema(parse(code), { parameters, toolSchema: () => undefined });
      assert.ok(unsafe !== undefined || !JSON.stringify([code, parameters, schema]).includes(secret), code);
    }),
    runs(150),
  );
});
