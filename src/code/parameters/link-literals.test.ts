// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs in strings
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../json.ts';
import { Redactor } from '../../secrets/index.ts';
import { findLinks, type PassedCall } from '../links/index.ts';
import { type LearnedCode, learn } from '../tasks/learn.ts';

const TOKEN = 'tok-83f2a91c';
const ORDER = 'ORD-55121';

/** Learns a program that made these calls; the first was a login. */
function learned(source: string, calls: readonly PassedCall[], canonical = NAMES): LearnedCode {
  const options = { schemas: new Map(), renamed: new Map(), canonical, given: {} };
  const linked = { ...options, secrets: new Redactor().known, links: findLinks(calls) };
  const found = learn(source, linked);
  assert.ok(!('unsafe' in found), JSON.stringify(found));
  return found;
}

const NAMES = new Map(['desk:login', 'desk:find', 'desk:note'].map((name) => [name, name]));
const login = (result: Json): PassedCall => ({ name: 'desk:login', args: {}, result });
const find = (args: Json): PassedCall => ({ name: 'desk:find', args, result: { ok: true } });
const LOGGED_IN = login({ auth: { token: TOKEN } });
const CALLS = [LOGGED_IN, find({ token: TOKEN })];
const ORDERED = [login({ order: { 'last-id': ORDER } }), find({ order_id: ORDER })];

test('a literal that an earlier call returned defaults to what the call returns', () => {
  const table: [code: string, calls: readonly PassedCall[], stored: string][] = [
    [
      `const s = await mcp.desk.login({}); return await mcp.desk.find({ token: "${TOKEN}" });`,
      CALLS,
      'const s = await mcp.desk.login({}); return await mcp.desk.find({ token: args.token ?? s.auth.token });',
    ],
    [
      `const { auth } = await mcp.desk.login({}); return await mcp.desk.find({ token: "${TOKEN}" });`,
      CALLS,
      'const { auth } = await mcp.desk.login({}); return await mcp.desk.find({ token: args.token ?? auth.token });',
    ],
    [
      `const { token: t } = (await mcp.desk.login({})).auth; await mcp.desk.find({ token: "${TOKEN}" });`,
      CALLS,
      'const { token: t } = (await mcp.desk.login({})).auth; await mcp.desk.find({ token: args.token ?? t });',
    ],
    [
      `const s = await mcp.desk.login({}); const token = "${TOKEN}"; await mcp.desk.find({ token });`,
      CALLS,
      'const s = await mcp.desk.login({}); const token = args.token ?? s.auth.token; await mcp.desk.find({ token });',
    ],
    [
      `const s = await mcp.desk.login({}); await mcp.desk.find({ token: "${TOKEN}" as string });`,
      CALLS,
      'const s = await mcp.desk.login({}); await mcp.desk.find({ token: (args.token ?? s.auth.token) as string });',
    ],
    [
      `const s = await mcp.desk.login({}); await mcp.desk.find({ order_id: "${ORDER}" }); return "found ${ORDER}";`,
      ORDERED,
      'const s = await mcp.desk.login({}); await mcp.desk.find({ order_id: args.order_id ?? s.order["last-id"] }); return `found ${args.order_id ?? s.order["last-id"]}`;',
    ],
    [
      `const s = await mcp.desk.login({}); await mcp.desk.find({ of: [{ order_id: "${ORDER}", by: s.by }] });`,
      [login({ id: ORDER, by: 1 }), find({ of: [{ order_id: ORDER, by: 1 }] })],
      'const s = await mcp.desk.login({}); await mcp.desk.find({ of: [{ order_id: args.order_id ?? s.id, by: s.by }] });',
    ],
    [
      `const s = await mcp.desk.login({}); await mcp.desk.find({ text: "the whole text of it" });`,
      [login('the whole text of it'), find({ text: 'the whole text of it' })],
      'const s = await mcp.desk.login({}); await mcp.desk.find({ text: args.text ?? s });',
    ],
  ];
  for (const [code, calls, stored] of table) assert.equal(learned(code, calls).code, stored);
});

test('the parameter of a link is optional, tells the link, and keeps nothing of the value', () => {
  const code = `const s = await mcp.desk.login({}); await mcp.desk.find({ token: "${TOKEN}" });`;
  const secret = learned(code, CALLS);
  const token = { type: 'string', description: 'token of desk:find; default: auth.token of desk:login' };
  assert.deepEqual(secret.parametersSchema, {
    type: 'object',
    properties: { token: { ...token, writeOnly: true } },
    additionalProperties: false,
  });
  const { hiddenValues, secretTexts, ...stored } = secret;
  assert.ok(!JSON.stringify(stored).includes(TOKEN));
  assert.deepEqual([hiddenValues, secretTexts], [{ token: TOKEN }, [TOKEN]]);

  const source = `const s = await mcp.desk.login({}); await mcp.desk.find({ order_id: "${ORDER}" });`;
  const { parametersSchema, parameters, hiddenValues: values } = learned(source, ORDERED);
  const description = 'order_id of desk:find; default: order.last-id of desk:login';
  assert.deepEqual(parametersSchema.properties, { order_id: { type: 'string', description } });
  assert.equal(parametersSchema.required, undefined);
  assert.ok(!JSON.stringify(parameters).includes(ORDER));
  assert.deepEqual(values, { order_id: ORDER });
});

const UNLINKED: Record<string, [code: string, calls?: readonly PassedCall[]]> = {
  'a result without a name': [`await mcp.desk.login({}); await mcp.desk.find({ order_id: "${ORDER}" });`],
  'a name that gets another value': [
    `let s = await mcp.desk.login({}); s = { order: {} }; await mcp.desk.find({ order_id: "${ORDER}" });`,
  ],
  'a name that means two things': [
    `const s = await mcp.desk.login({}); await mcp.desk.find({ order_id: "${ORDER}" }); return [1].map((s) => s);`,
  ],
  'a result that is changed': [
    `const s = await mcp.desk.login({}); s.order["last-id"] = "x"; await mcp.desk.find({ order_id: "${ORDER}" });`,
  ],
  'a result that is changed by a function': [
    `const s = await mcp.desk.login({}); Object.assign(s.order, {}); await mcp.desk.find({ order_id: "${ORDER}" });`,
  ],
  'an equal literal that comes before': [
    `const order_id = "${ORDER}"; const s = await mcp.desk.login({}); await mcp.desk.find({ order_id });`,
  ],
  'an equal literal in a function that may run before': [
    `say(); const s = await mcp.desk.login({}); await mcp.desk.find({ order_id: "${ORDER}" }); function say() { return "${ORDER}"; }`,
  ],
  'a promise': [`const s = mcp.desk.login({}); await mcp.desk.find({ order_id: "${ORDER}" }); await s;`],
  'a branch': [
    `const s = await mcp.desk.login({}); if (s.order) await mcp.desk.find({ order_id: "${ORDER}" });`,
  ],
  'a loop': [
    `const s = await mcp.desk.login({}); for (const x of [1]) await mcp.desk.find({ order_id: "${ORDER}" });`,
  ],
  'other data': [
    `const s = await mcp.desk.login({}); await mcp.desk.find({ order_id: "ORD-2" });`,
    [ORDERED[0] as PassedCall, find({ order_id: 'ORD-2' })],
  ],
};
for (const [what, [code, calls = ORDERED]] of Object.entries(UNLINKED)) {
  test(`no link: ${what}`, () => {
    const found = learned(code, calls);
    assert.deepEqual(found, learned(code, []));
    assert.match(JSON.stringify(found.parametersSchema), /"ORD-/);
  });
}

test('a secret that stands where the result has no value yet is required', () => {
  const code = `const token = "${TOKEN}"; const s = await mcp.desk.login({}); await mcp.desk.find({ token });`;
  const { code: stored, parametersSchema } = learned(code, CALLS);
  assert.match(stored, /^const token = args\.token; /);
  assert.deepEqual(parametersSchema.required, ['token']);
});

test('data in a value that a call returned stays data, and the value follows the call', () => {
  const code = (token: string) =>
    `const s = await mcp.desk.login({ user: "anabel" }); await mcp.desk.find({ token: ${token} });`;
  const token = 'anabel-83f2a91c';
  const calls = [login({ auth: { token } }), find({ token })];
  assert.equal(
    learned(code(`"${token}"`), calls).code,
    code('args.token ?? s.auth.token').replace('"anabel"', 'args.user'),
  );
});

test('calls in arguments come before the call that gets them', () => {
  const code = `const s = await mcp.desk.login({ x: await mcp.desk.note({}) }); await mcp.desk.find({ order_id: "${ORDER}" });`;
  const { linkableCalls } = learned(code, []);
  assert.deepEqual(linkableCalls, ['desk:note', 'desk:login', 'desk:find']);
  const note: PassedCall = { name: 'desk:note', args: {}, result: {} };
  assert.match(learned(code, [note, ...ORDERED]).code, /args\.order_id \?\? s\.order\["last-id"\]/);
});

/** Ways to name the result `{ data: { ref: … } }`, and the rest of the program. */
const NAMED = [
  'const s = await mcp.desk.login({});',
  'const { data } = await mcp.desk.login({});',
  'const { data: { ref: own } } = await mcp.desk.login({});',
  'const s = (await mcp.desk.login({})).data;',
];
const USED: ((literal: string) => string)[] = [
  (x) => `return await mcp.desk.find({ ref: "${x}" });`,
  (x) => `const r = await mcp.desk.find({ ref: "${x}", where: { ref: "${x}" } }); return [r, "${x}"];`,
  (x) => `await mcp.desk.note({ text: "about ${x}: done" }); return await mcp.desk.find({ ref: "${x}" });`,
  (x) => `const ref = "${x}"; await mcp.desk.find({ ref }); return [ref].map((one) => one + ref);`,
];

/** Runs code against a login that returns `ref`; returns its calls and its result. */
async function run(code: string, args: object, ref: string): Promise<unknown> {
  const calls: unknown[] = [];
  const note = (name: string, answer: unknown) => async (given: unknown) => {
    calls.push([name, given]);
    return answer;
  };
  const desk = {
    login: note('login', { data: { ref } }),
    find: note('find', { ok: true }),
    note: note('note', {}),
  };
  const AsyncFunction = (async () => {}).constructor as new (
    ...source: string[]
  ) => (mcp: object, args: object) => Promise<unknown>;
  return { result: await new AsyncFunction('mcp', 'args', code)({ desk }, args), calls };
}

test('a link follows what the call returns, and an argument does what the literal did', async () => {
  const ref = fc.integer({ min: 10_000, max: 99_999 }).map((n) => `REF-${n}`);
  const property = fc.asyncProperty(
    fc.constantFrom(...NAMED),
    fc.constantFrom(...USED),
    fc.uniqueArray(ref, { minLength: 3, maxLength: 3 }),
    async (named, used, [first = '', later = '', given = '']) => {
      const written = (x: string) => `${named} ${used(x)}`;
      const { calls } = (await run(written(first), {}, first)) as { calls: [string, Json][] };
      const passed = calls.map(([name, args]) => ({ name: `desk:${name}`, args }));
      const results = { login: { data: { ref: first } }, find: { ok: true }, note: {} };
      const made = passed.map((call, at) => ({
        ...call,
        result: results[calls[at]?.[0] as 'login'] as Json,
      }));
      const { code } = learned(written(first), made);
      assert.match(code, /args\.ref \?\? /);
      assert.ok(!code.includes(first));
      for (const now of [first, later]) {
        assert.deepEqual(await run(code, {}, now), await run(written(now), {}, now));
        assert.deepEqual(await run(code, { ref: given }, now), await run(written(given), {}, now));
      }
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
