// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs in strings
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

test('equal literals that mean one thing are one parameter, and so are the values of one constant', () => {
  for (const [source, code] of [
    [
      'mcp.a.find({ zip: "8001" }); mcp.b.move({ zip: "8001" })',
      'mcp.a.find({ zip: args.zip }); mcp.b.move({ zip: args.zip })',
    ],
    [
      'mcp.a.find({ zip: 5 }); mcp.b.move({ zip: 5 })',
      'mcp.a.find({ zip: args.zip }); mcp.b.move({ zip: args.zip })',
    ],
    [
      'mcp.a.find({ days: 5 }); mcp.b.move({ rows: 5 })',
      'mcp.a.find({ days: args.days }); mcp.b.move({ rows: args.rows })',
    ],
    [
      'mcp.a.find({ city: "Oslo" }); mcp.b.post({ text: "Oslo: done" })',
      'mcp.a.find({ city: args.city }); mcp.b.post({ text: `${args.city}: done` })',
    ],
  ] as const)
    assert.equal(lifted(source).code, code);
  assert.equal(
    lifted('const zip = "1"; mcp.a.find({ zip }); mcp.b.move({ zip })').code,
    'const zip = args.zip; mcp.a.find({ zip }); mcp.b.move({ zip })',
  );
});

test('texts that hold the path of a parameter follow it', () => {
  const list = 'const l = await mcp.fs.list({ path: "/data/m1" });';
  // `#` stands for the dollar of a template.
  const follows: [string, string][] = [
    ['await mcp.fs.read({ path: "/data/m1/" + l[0] });', '`#{args.path}/` + l[0]'],
    ['await mcp.fs.read({ path: `/data/m1/#{l[0]}` });', '`#{args.path}/#{l[0]}`'],
    ["await mcp.fs.read({ path: '/data/m1' + '/' + l[0] });", "args.path + '/' + l[0]"],
    ['return l.map((n) => "in /data/m1: `" + n);', '`in #{args.path}: \\`` + n'],
    ['return { folder: "/data/m1", l };', '{ folder: args.path, l }'],
  ];
  for (const [code, followed] of follows) {
    const { code: stored, parameters } = lifted(`${list} ${code.replaceAll('#', '$')}`);
    assert.ok(stored.includes(followed.replaceAll('#', '$')), stored);
    assert.deepEqual(parameters, [{ name: 'path', secret: false, default: '/data/m1' }]);
  }
  const stays = [
    'return l.map((n) => "/data/m10/" + n);',
    'return l.map((n) => "/old/data/m1/" + n);',
    'return l.map((n) => `/data/m1#{n}`);',
    'return l.map((n) => `#{n}/data/m1`);',
    'return { "/data/m1": l };',
    'return ((args) => "/data/m1/" + args)(l[0]);',
    'return mcp.sh.run({ command: "rm -r /data/m1/old && ls /data/m1" });',
    'type Folder = "/data/m1"; return l as Folder[];',
  ].map((code) => code.replaceAll('#', '$'));
  for (const code of stays) assert.ok(lifted(`${list} ${code}`).code.endsWith(code), code);
});

test('paths within a path follow it', () => {
  const nested = 'mcp.fs.list({ path: "/a/b" }); mcp.fs.find({ path: "/a/b/c" }); return x => "/a/b/c/" + x';
  assert.equal(
    lifted(nested).code,
    'mcp.fs.list({ path: args.path }); mcp.fs.find({ path: `${args.path}/c` }); return x => `${args.path}/c/` + x',
  );
});

test('a text from which a secret was taken keeps the rest as it is', () => {
  const { code } = lifted(
    'mcp.web.get({ url: "https://x.test/a" }); return "https://x.test/a?key=sk-ant-api03-Zq8vN3xT7wR2mK5pL9sD4fG6hJ1bV0cX"',
  );
  assert.ok(!code.includes('sk-ant'), code);
  assert.match(code, /return `https:\/\/x\.test\/a\?key=\$\{args\.\w+\}`$/);
});

test('equal secrets are one parameter as well', () => {
  const { code } = lifted('mcp.a.login({ password: "hunter2" }); mcp.b.login({ password: "hunter2" })');
  assert.equal(code, 'mcp.a.login({ password: args.password }); mcp.b.login({ password: args.password })');
});

const CRM: JsonSchema = {
  type: 'object',
  required: ['name', 'note', 'kind', 'urgent', 'address', 'tags'],
  properties: {
    kind: { enum: ['call', 'visit'] },
    urgent: { type: 'boolean' },
    address: { type: 'object', required: ['zip'], properties: { zip: { type: 'string' } } },
  },
};

function requiredOf(source: string, readOnly?: boolean): string[] {
  const { parameters } = generalise(parse(source), { toolSchema: () => CRM, isReadOnly: () => readOnly });
  return parameters.filter((parameter) => 'example' in parameter).map(({ name }) => name);
}

test('payload that a writing tool demands is required, with the literal as example', () => {
  const call = (tool: string) =>
    `mcp.crm.${tool}({ name: "Globex", note: "paid", kind: "call", urgent: true, size: 3, tags: ["a"],
      address: { zip: "1", city: "Bern" } })`;
  const demanded = ['name', 'note', 'tags', 'zip'];
  assert.deepEqual(requiredOf(call('add_note')), demanded);
  assert.deepEqual(requiredOf(call('frobnicate')), demanded);
  assert.deepEqual(requiredOf(call('get_note')), []);
  assert.deepEqual(requiredOf(call('add_note'), true), []);
  assert.deepEqual(requiredOf(call('get_note'), false), demanded);
  const { parameters } = generalise(parse(call('add_note')), { toolSchema: () => CRM });
  const named = (name: string) => parameters.find((parameter) => parameter.name === name);
  assert.deepEqual(named('name'), { name: 'name', secret: false, example: 'Globex' });
  assert.deepEqual(named('kind'), { name: 'kind', secret: false, default: 'call' });
  assert.deepEqual(named('city'), { name: 'city', secret: false, default: 'Bern' });
});

test('a constant that reaches both a reading and a writing tool is required', () => {
  const source = 'const who = "Ana"; await mcp.crm.get_note({ name: who }); mcp.crm.add_note({ name: who })';
  assert.deepEqual(requiredOf(source), ['who']);
});

test('code that uses `args` has chosen its parameters: all but secrets stays', () => {
  const source = 'mcp.a.b({ path: args.path, limit: 5, token: "hunter2", to: { password: args.token } })';
  const { code, parameters } = lifted(source);
  assert.equal(code, source.replace('"hunter2"', 'args.b_token'));
  assert.deepEqual(parameters, [{ name: 'b_token', secret: true }]);
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

test('a list that holds a text which follows another value stays a list', () => {
  assert.equal(
    lifted('mcp.a.b({ city: "Oslo" }); mcp.a.c({ titles: ["Oslo today", "Weather"] })').code,
    'mcp.a.b({ city: args.city }); mcp.a.c({ titles: [`${args.city} today`, "Weather"] })',
  );
});

test('a constant that is passed to a call becomes a parameter at its declaration', () => {
  assert.equal(
    lifted('const file = "a.json"; await mcp.fs.read({ path: file }); return file').code,
    'const file = args.file; await mcp.fs.read({ path: file }); return file',
  );
  assert.equal(lifted('let n = 1; n += 1; mcp.a.b({ n })').code, 'let n = 1; n += 1; mcp.a.b({ n })');
});

test('a named constant in an expression becomes a parameter of that name', () => {
  for (const [source, code] of [
    [
      'const min = 15; return items.filter((i) => i.price > min)',
      'const min = args.min; return items.filter((i) => i.price > min)',
    ],
    ['const name = "Ana"; return `Greet ${name}`', 'const name = args.name; return `Greet ${name}`'],
    [
      'const n: number = 3; for (let i = 0; i < n; i++) f(i)',
      'const n: number = args.rounds; for (let i = 0; i < n; i++) f(i)',
    ],
    ['return items.filter((i) => i.price > 15)', 'return items.filter((i) => i.price > args.min_price)'],
  ])
    assert.equal(lifted(source as string).code, code);
  for (const source of [
    'let min = 15; min += 1; return items.filter((i) => i.price > min)',
    'const unused = 15; return 1',
    'const tool = "read"; return mcp.fs[tool]()',
    'const { [key]: x } = mcp.fs; const key = "read"; return x()',
    'const sql = "SELECT 1 FROM t"; return sql + x',
    'const min = 15; return [min, args[x]]',
  ])
    assert.equal(lifted(source).code, source);
});

test('a constant within payload that a writing tool demands is required', () => {
  assert.deepEqual(requiredOf('const who = "Ana"; mcp.crm.add_note({ note: `Call ${who}`, size: 1 })'), [
    'who',
  ]);
  assert.deepEqual(requiredOf('const who = "Ana"; mcp.crm.get_note({ note: `Call ${who}` })'), []);
  const note = 'const note = (text) => mcp.crm.add_note({ note: text });';
  assert.deepEqual(requiredOf(`const who = "Ana"; ${note} return note(who)`), ['who']);
  assert.deepEqual(requiredOf('const n = 3; const sum = 2 * n; mcp.crm.add_note({ note: sum })'), ['n']);
  assert.deepEqual(
    requiredOf(`const min = 3; ${note} const few = all.filter((x) => x > min); return few.map(note)`),
    [],
  );
});

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
    'const f = (args) => mcp.a.b({ path: "x" }); return f(x)',
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
    const { code, parameters, unsafe } = lifted(source);
    const schema = inferParametersSchema(parse(code), { parameters, toolSchema: none });
    assert.equal(unsafe, undefined, source);
    assert.ok(!JSON.stringify([code, parameters, schema]).includes(SECRET), code);
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
