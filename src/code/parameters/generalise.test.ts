import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema, ToolSchema } from '../../json.ts';
import { hashOf } from '../identity/normal-form.ts';
import { parse } from '../syntax/parse.ts';
import { type Generalised, generalise } from './generalise.ts';
import { inferParametersSchema } from './infer-parameters.ts';

const none: ToolSchema = () => undefined;

function lifted(source: string, toolSchema = none): Generalised {
  return generalise(parse(source), { toolSchema });
}

test('programs that differ only in data become one', () => {
  const one = lifted('return await mcp.fs.read_file({ path: "a.json", head: 5 })');
  const other = lifted("return await mcp.fs.read_file({ path: 'b.json', head: 9 })");
  assert.equal(hashOf(one.code), hashOf(other.code));
  assert.equal(one.code, 'return await mcp.fs.read_file({ path: args.path, head: args.head })');
  assert.deepEqual(one.parameters, [
    { name: 'path', secret: false, default: 'a.json' },
    { name: 'head', secret: false, default: 5 },
  ]);
});

test('programs that differ in an inner program or a sentence stay two', () => {
  const [count, remove] = ['SELECT count(*) FROM t', 'DELETE FROM t'].map((sql) =>
    lifted(`mcp.pg.query({ sql: "${sql}", limit: 1 })`),
  );
  assert.notEqual(hashOf(count?.code ?? ''), hashOf(remove?.code ?? ''));
  assert.equal(count?.code, 'mcp.pg.query({ sql: "SELECT count(*) FROM t", limit: args.limit })');
});

test('a key with two values becomes two parameters, with one value one', () => {
  const { code } = lifted('mcp.a.b({ path: "x", deep: { path: "y" } }); mcp.a.c({ path: "x" })');
  assert.equal(
    code,
    'mcp.a.b({ path: args.path, deep: { path: args.path_2 } }); mcp.a.c({ path: args.path })',
  );
});

test('a parameter never takes the name of an existing argument', () => {
  const { code } = lifted(
    'mcp.a.b({ path: args.path, to: { path: "x" }, name_: "y" }); const { name_ } = args; return name_',
  );
  assert.match(code, /path: args\.path_2/);
  assert.match(code, /name_: args\.name(?!_)/);
});

test('names are plain identifiers, and none of Object.prototype', () => {
  const { code } = lifted('mcp.a.b({ "resource-group": "x", constructor: "y", "9to5": 1, größe: "z" })');
  assert.equal(
    code,
    'mcp.a.b({ "resource-group": args.resource_group, constructor: args.constructor_, "9to5": args._9to5, größe: args.gr_e })',
  );
});

test('a list of data becomes one parameter, a list with a program stays', () => {
  const { code, parameters } = lifted(
    'mcp.a.b({ paths: ["a.ts", "b.ts"], argv: ["-c", "SELECT 1 FROM t"], rows: [{ id: 1, tags: ["x"] }], none: [] })',
  );
  assert.equal(
    code,
    'mcp.a.b({ paths: args.paths, argv: ["-c", "SELECT 1 FROM t"], rows: args.rows, none: [] })',
  );
  assert.deepEqual(
    parameters.map((parameter) => parameter.default),
    [['a.ts', 'b.ts'], [{ id: 1, tags: ['x'] }]],
  );
});

test('in a list that is not all data, the data in objects becomes parameters one by one', () => {
  assert.equal(
    lifted('mcp.a.b({ edits: [{ line: 3, newText: "foo()" }], mixed: [x, 4] })').code,
    'mcp.a.b({ edits: [{ line: args.line, newText: "foo()" }], mixed: [x, args.mixed] })',
  );
});

test('a constant that is passed to a call becomes a parameter at its declaration', () => {
  assert.equal(
    lifted('const file = "a.json"; await mcp.fs.read({ path: file }); return file').code,
    'const file = args.path; await mcp.fs.read({ path: file }); return file',
  );
  assert.equal(lifted('let n = 1; n += 1; mcp.a.b({ n })').code, 'let n = 1; n += 1; mcp.a.b({ n })');
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: programs in strings
test('computed values, null and values outside JSON stay', () => {
  const source =
    'mcp.a.b({ a: x + "y", b: `${x}`, c: null, d: undefined, e: /r/, f: 1n, g: c ? "p" : "q", h: -0, i: 1e999 })';
  assert.equal(lifted(source).code, source);
});

test('aliased, destructured and computed calls are generalised alike', () => {
  assert.equal(
    lifted(
      'const { fs } = mcp; const r = mcp.fs.read; fs.read({ a: "x" }); r({ b: 1 }); mcp[s][t]({ c: true })',
    ).code,
    'const { fs } = mcp; const r = mcp.fs.read; fs.read({ a: args.a }); r({ b: args.b }); mcp[s][t]({ c: args.c })',
  );
});

test('nothing becomes a parameter where `args` is passed on or shadowed', () => {
  const sources = [
    'mcp.a.b({ ...args, path: "x" })',
    'log(Object.keys(args)); mcp.a.b({ path: "x" })',
    'mcp.a.b({ path: "x", y: args[k] })',
    'const { z, ...rest } = args; mcp.a.b({ path: "x" }, rest)',
    'const args = {}; mcp.a.b({ path: "x" })',
    'const f = (args) => mcp.a.b({ path: "x" }); return f(1)',
  ];
  for (const source of sources) assert.equal(lifted(source).code, source);
});

test('a parameter does not merge with the word beside it', () => {
  assert.equal(lifted('mcp.a.b({ x:"y"as const })').code, 'mcp.a.b({ x:args.x as const })');
  assert.equal(lifted('return"sk-abcdefghijklmnopqrstuv123"').code, 'return args.secret');
});

const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

test('a secret anywhere in the code becomes required and is stored nowhere', () => {
  const sources = [
    `mcp.gh.list({ token: "${SECRET}" })`,
    `const key = "${SECRET}"; mcp.gh.list({ value: key })`,
    `mcp.gh.list({ headers: { Authorization: "Bearer ${SECRET}" } })`,
    `mcp.sh.run({ command: "curl -u x:${SECRET} https://api.github.com" })`,
    `const u = \`https://x.io/?access_token=${SECRET}&n=\${n}\`; mcp.a.b({ u })`,
    `// my token is ${SECRET}\nmcp.a.b({ x: 1, list: ["${SECRET}"] })`,
    `/* ${SECRET} */ x = { y: "${SECRET}" }`,
    `mcp.a.b({ paths: ["a", /* ${SECRET} */ "b"], path: /* ${SECRET} */ "c" })`,
    `mcp.a.b({ ...args, token: "${SECRET}" })`,
    `const t = "${SECRET}"; mcp.a.b({ name: t }); mcp.a.c({ token: t })`,
  ];
  for (const source of sources) {
    const { code, parameters, literals, unsafe } = lifted(source);
    const schema = inferParametersSchema(parse(code), { parameters, toolSchema: none });
    assert.equal(unsafe, undefined, source);
    assert.ok(!JSON.stringify([code, parameters, literals, schema]).includes(SECRET), code);
    const secrets = parameters.filter(({ secret }) => secret);
    for (const { name } of secrets) {
      assert.ok(schema.required?.includes(name));
      assert.equal((schema.properties?.[name] as JsonSchema | undefined)?.writeOnly, true);
    }
  }
});

test('under a secret key any text but the empty one is secret; text around a secret stays', () => {
  assert.equal(lifted('mcp.a.b({ password: "hunter2" })').code, 'mcp.a.b({ password: args.password })');
  assert.equal(
    lifted('const password = "x"; mcp.a.b({ value: password })').code,
    'const password = args.password; mcp.a.b({ value: password })',
  );
  assert.equal(lifted('mcp.a.b({ password: "" })').parameters[0]?.secret, false);
  assert.equal(
    lifted(`mcp.sh.run({ command: "curl -H 'X: \`${SECRET}\`' x.io" })`).code,
    "mcp.sh.run({ command: `curl -H 'X: \\`${args.secret}\\`' x.io` })",
  );
});

test('parts of a text under a secret key are secret too, except a scheme or separator', () => {
  const code = (source: string) =>
    lifted(`mcp.a.b({ ${source} })`).code.slice('mcp.a.b({ '.length, -' })'.length);
  for (const [source, stored] of [
    ['password: `hunter-${n}`', 'password: `${args.secret}${n}`'],
    ['password: "hunter-" + n', 'password: args.password + n'],
    ['Authorization: "Basic " + btoa("ana:sesame=1")', 'Authorization: "Basic " + btoa(args.Authorization)'],
    ['Authorization: `Bearer ${args.t}`', 'Authorization: `Bearer ${args.t}`'],
    ['Authorization: "Bearer " + args.t', 'Authorization: "Bearer " + args.t'],
    ['token: x ? args.t : "abcdefgh1"', 'token: x ? args.t : args.token'],
    ['list: ["--password", "sesame", x]', 'list: ["--password", args.password, x]'],
    ['list: ["--password", "sesame"]', 'list: ["--password", args.password]'],
    ['list: ["--tag", "sesame"]', 'list: ["--tag", "sesame"]'],
    ['command: "X_TOKEN=abcdefgh1 npm start"', 'command: `X_TOKEN=${args.secret} npm start`'],
    ['command: "curl -u ana:sesame x.io"', 'command: `curl -u ${args.secret} x.io`'],
    ['url: "https://abcdefghijk1@x.io/a"', 'url: `https://${args.secret}@x.io/a`'],
    [`body: '{"password":"open sesame"}'`, 'body: `{"password":"${args.secret}"}`'],
  ] as const)
    assert.equal(code(source), stored);
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: programs in strings

test('a secret that cannot be taken out makes the code unsafe to store', () => {
  for (const source of [
    `const args = 1; mcp.a.b({ password: "x" })`,
    `type T = "${SECRET}"; return 1`,
    `return tag\`${SECRET}\``,
    `return { "${SECRET}": 1 }`,
  ]) {
    assert.match(lifted(source).unsafe ?? '', /secret/, source);
  }
});

test('with very many literals, those beyond the limit stay in the code', () => {
  const calls = Array.from({ length: 80 }, (_, n) => `mcp.a.b({ id: ${n} })`).join('\n');
  assert.equal(lifted(calls).parameters.length, 50);
});
