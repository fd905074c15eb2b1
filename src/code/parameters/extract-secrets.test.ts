// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs in plain strings
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Redactor } from '../../secrets/index.ts';
import { runs } from '../../testing/effort.ts';
import { parse } from '../syntax/parse.ts';
import { generalise } from './generalise.ts';

function lifted(source: string, passed: object, given: unknown = {}) {
  const redactor = new Redactor();
  redactor.learnGiven(given, 'args');
  redactor.learnPassed(passed, 'x:login', { isNested: false, isHandedOn: false });
  return generalise(parse(source), { toolSchema: () => undefined, ofRun: redactor.runSecrets });
}

test('all literals that are one secret of the run become one required parameter', () => {
  const { code, parameters, unsafe } = lifted(
    'const f = (q) => mcp.x.login({ password: q }); // hunter2xyz\nf("hunter2xyz"); f(`hunter2xyz`); console.log("now hunter2xyz!")',
    { password: 'hunter2xyz' },
  );
  assert.equal(unsafe, undefined);
  assert.equal(
    code,
    'const f = (q) => mcp.x.login({ password: q }); //\nf(args.password); f(args.password); console.log(`now ${args.password}!`)',
  );
  assert.deepEqual(parameters, [{ name: 'password', secret: true }]);
});

test('numbers are secrets, too, and other numbers stay', () => {
  const { code } = lifted(
    'const c = { q: 4711 }; mcp.x.pay({ pin: c.q, amount: 14711 }); return c.q + "47110" + 4_711 + "id-4711" + "x4711"',
    { pin: 4711, amount: 14711 },
  );
  assert.equal(
    code,
    'const c = { q: args.pin }; mcp.x.pay({ pin: c.q, amount: args.amount }); return c.q + "47110" + args.pin + `id-${args.pin}` + "x4711"',
  );
});

test('a password that is a word leaves that word alone', () => {
  const { code, unsafe } = lifted('mcp.x.login({ "password": "password", note: "a new password" })', {
    password: 'password',
  });
  assert.deepEqual(
    [code, unsafe],
    ['mcp.x.login({ "password": args.password, note: args.note })', undefined],
  );
});

test('code that makes a secret is unsafe, and told how to be written', () => {
  const { unsafe } = lifted('const q = "hunter" + "2xyz"; mcp.x.login({ password: q })', {
    password: 'hunter2xyz',
  });
  assert.equal(
    unsafe,
    'This code builds or computes the secret that arrived at x:login password, so no parameter can replace it: write args.password in its place, and pass the value in args',
  );
  const generated = lifted('mcp.x.login({ password: crypto.randomUUID() })', {
    password: 'f47ac10b-58cc-4372',
  });
  assert.equal(generated.unsafe, undefined);
});

const SECRET = fc
  .tuple(
    fc.stringMatching(/^[a-z]{3,6}$/),
    fc.integer({ min: 100, max: 99_999 }),
    fc.stringMatching(/^[a-z"'`\\$-]{1,5}$/),
  )
  .map(([start, middle, end]) => `${start}${middle}${end}`);
const FRAME = fc.constantFrom<(literal: string) => string>(
  (x) => `const q = ${x}; return q`,
  (x) => `const f = (a, q = ${x}) => q; return f(1)`,
  (x) => `for (const [, q] of [["a", ${x}]]) return q`,
  (x) => `const { a: { q } } = { a: { q: ${x} } }; return q`,
  (x) => `let q; q ||= (0, ${x}); return q`,
  (x) => `return [${x}].map((q) => q)[0]`,
  (x) => `class C { static q = ${x} } return C.q`,
  (x) => `return \`\${${x}}\``,
  (x) => `return ("<" + ${x}).slice(1)`,
);

test('after lifting, no text of the code holds the secret, and the code does what it did', () => {
  fc.assert(
    fc.property(SECRET, FRAME, (secret, frame) => {
      const source = frame(JSON.stringify(secret));
      const { code, parameters, unsafe } = lifted(source, { password: secret });
      assert.equal(unsafe, undefined);
      assert.ok(!code.includes(secret) && !code.includes(JSON.stringify(secret).slice(1, -1)), code);
      const args = Object.fromEntries(parameters.map(({ name }) => [name, secret]));
      assert.equal(new Function('args', code)(args), secret);
    }),
    runs(300),
  );
});
