/**
 * Sends secrets to PML by every way in. Then searches everything that PML stores, logs, exports and shows to others for
 * them.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs and variables in plain strings
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, TestBed } from '../support/test-bed.ts';

/** Every secret that was sent, with its way in. */
const canaries = new Map<string, string>();
let count = 0;

/** A random secret without a known form, so that nothing can hold it by chance. */
function canary(way: string): string {
  count += 1;
  const secret = `k${count}Z${randomBytes(9).toString('hex')}`;
  canaries.set(secret, way);
  return secret;
}

/** A random secret in the form of a known issuer. */
function token(way: string): string {
  const secret = `ghp_${randomBytes(18).toString('hex')}`;
  canaries.set(secret, way);
  return secret;
}

const variables = {
  VAR_ENV: canary('a variable in env'),
  VAR_HEADER: canary('a variable in a header'),
  VAR_PATH: canary('a variable in the path of a URL'),
};
const env = { API_KEY: canary('env of a server'), PLAIN: '${VAR_ENV}', TELL: 'API_KEY,PLAIN' };
const headers = { 'X-Api-Key': canary('a header'), 'X-Other': '${VAR_HEADER}' };
const args = ['--api-key', canary('an argument of a server'), `--token=${canary('a flag of a server')}`];
const secretPath = `/\${VAR_PATH}/${canary('the path of a URL')}/mcp?sig=${canary('the query of a URL')}`;
const user = `${canary('the user of a URL')}`;

/** A server that quotes its arguments in each failure. */
const failing = createServer((request, response) => {
  response.writeHead(500).end(`cannot do ${request.url} with ${JSON.stringify(request.headers)}`);
});
await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
after(() => failing.close());

const address = `127.0.0.1:${(failing.address() as AddressInfo).port}`;
const config = {
  mcpServers: {
    work: fixtureServer('fixture-work.ts'),
    teller: { ...fixtureServer('fixture-teller.ts', ...args), env },
    web: { type: 'http', url: `http://${address}${secretPath}`, headers },
    away: { type: 'http', url: `http://${user}@127.0.0.1:9${secretPath}` },
  },
};
// The files of the home are searched, and those of the database are among them.
const bed = new TestBed(config, { onPostgres: false });
Object.assign(bed.pml.env, variables, { PML_LOG: 'debug' });

let ana: Peer;
let ben: Peer;
const asUser = (name: string) => bed.peer('SDK v2 legacy', 'stdio', { env: { PML_USER: name } });
const ask = async (peer: Peer, tool: string, input: object): Promise<Loose> =>
  (await peer.call(tool, input)).structuredContent;

before(async () => {
  // Does not wait for the servers, two of which never come up.
  const up = await bed.pml.up();
  bed.url = async () => up.url;
  ana = await asUser('ana');
  ben = await asUser('ben');
});

/** Code that holds a secret, in many ways. */
// biome-ignore format: a table
const PROGRAMS: Record<string, (way: string) => string> = {
  'a literal under a key': (way) => `return await mcp.work.repos({ owner: "a", token: "${canary(way)}" })`,
  'a plural key': (way) => `return await mcp.teller.send({ what: "b", passwords: ["${canary(way)}"] })`,
  'a template under a key': (way) => `const n = 1; return await mcp.teller.send({ what: "c", password: \`${canary(way)}-\${n}\` })`,
  'a sum under a key': (way) => `return await mcp.teller.send({ what: "d", Authorization: "Bearer " + "${canary(way)}" })`,
  'JSON in a text': (way) => `return await mcp.teller.send({ what: '{"e":1,"password":"${canary(way)}"}' })`,
  'a list of arguments': (way) => `return await mcp.teller.send({ list: ["f", "--password", "${canary(way)}"] })`,
  'a list with more': (way) => `const x = 1; return await mcp.teller.send({ list: ["g", "--password", "${canary(way)}", x] })`,
  'the query of a URL': (way) => `return await mcp.work.read({ path: "https://x.example/h?access_key=${canary(way)}" })`,
  'the user of a URL': (way) => `return await mcp.work.read({ path: "https://${canary(way)}@x.example/i" })`,
  'curl -u': (way) => `return await mcp.work.query({ sql: "curl -u ana:${canary(way)} https://x.example/j" })`,
  'curl -H': (way) => `return await mcp.work.query({ sql: 'curl -H "X-Api-Key: ${canary(way)}" https://x.example/k' })`,
  'a variable of a shell': (way) => `return await mcp.work.query({ sql: "X_TOKEN=${canary(way)} npm run l" })`,
  'a comment': (way) => `// password=${canary(way)}\nreturn "m"`,
  'an issued token': (way) => `return "n".length + "${token(way)}".length`,
};

/** Prose that contains a secret. */
// biome-ignore format: a table
const WORDS: Record<string, (way: string) => string> = {
  'an issued token': (way) => `use ${token(way)} for it`,
  'a password by its name': (way) => `log in with password=${canary(way)} first`,
  'a header': (way) => `curl -H "X-Api-Key: ${canary(way)}"`,
  'a secret of the config': () => `the key is ${env.API_KEY}, or ${variables.VAR_HEADER}`,
};

test('secrets are sent in code', async () => {
  for (const [index, [way, program]] of Object.entries(PROGRAMS).entries()) {
    const answer = await execute(ana, { code: program(`code: ${way}`), name: `code:p${index}` });
    if (!answer.capabilityName) assert.match(answer.warnings[0], /not remembered/);
  }
});

test('secrets are sent in arguments, results and errors of runs', async () => {
  const given = { token: canary('args'), more: { apiKeys: [canary('args, deeper')] } };
  await execute(ana, {
    name: 'run:args',
    code: 'return await mcp.teller.send({ what: args.token, x: args.more.apiKeys[0], y: "Bearer " + args.token })',
    args: given,
  });
  await execute(ana, {
    name: 'run:result',
    code: `const { session, note } = await mcp.teller.login({ token: args.token });
      await mcp.teller.send({ what: session.access_token, header: "Bearer " + session.access_token });
      return { got: session.access_token, note };`,
    args: { token: canary('a result') },
  });
  await execute(ana, {
    name: 'run:text',
    code: 'const { note } = await mcp.teller.login({ token: args.x }); await mcp.teller.send({ what: note.slice(6) }); return 1;',
    args: { x: canary('a result, in a text') },
  });
  const failures = [
    ['an exception', 'throw new Error("cannot log in with " + args.password)'],
    ['a refusal', 'return await mcp.teller.refuse({ password: args.password })'],
    ['an error', 'return await mcp.teller.explode({ password: args.password })'],
    [
      'a nested call',
      'const x = args.password; try { await mcp.teller.send({ token: x }) } finally { null.y[x] }',
    ],
  ] as const;
  for (const [way, code] of failures)
    await answerOf(ana, { code, args: { password: canary(`a failure: ${way}`) } });
  for (const tool of ['teller:refuse', 'teller:explode'])
    await ana.call(tool, { password: canary(`a relayed failure: ${tool}`) }).catch(() => {});
});

test('secrets are sent in prose', async () => {
  for (const [index, [way, words]] of Object.entries(WORDS).entries()) {
    const name = `words:w${index}`;
    await execute(ana, { code: `return ${index}`, name, intent: words(`intent: ${way}`) });
    await ask(ana, 'cap_rename', { name, description: words(`description: ${way}`), visibility: 'project' });
    const change_summary = words(`change_summary: ${way}`);
    await ask(ana, 'cap_update', { name, code: `return ${index} + 100`, change_summary });
    await answerOf(ana, { intent: words(`intent of a search: ${way}`) });
  }
});

test('a name or a tag that holds a secret is refused', async () => {
  for (const secret of [token('a name'), env.API_KEY]) {
    const refusals = [
      answerOf(ana, { code: 'return "named"', name: secret }),
      ask(ana, 'cap_rename', { name: 'words:w0', new_name: `x:${secret}` }),
      ask(ana, 'cap_rename', { name: 'words:w0', tags: ['a', secret] }),
      ask(ana, 'cap_fork', { source: 'words:w0', name: secret }),
      ask(ana, 'cap_merge', { sources: ['words:w0', 'words:w1'], name: secret }),
      ask(ana, 'cap_update', { name: 'words:w0', code: 'return 5', version_tag: secret }),
    ];
    for (const { status, error } of await Promise.all(refusals)) {
      assert.equal(status, 'error');
      assert.match(error.code, /invalid_arguments|bad_request|invalid_name/);
    }
    for (const tool of ['cap_lookup', 'cap_whois', 'cap_history', secret])
      await ana.call(tool, { name: secret }).catch(() => {});
  }
});

const names = () => [
  ...Object.keys(PROGRAMS).map((_, index) => `code:p${index}`),
  ...Object.keys(WORDS).map((_, index) => `words:w${index}`),
  ...['run:args', 'run:result', 'run:text'],
];

test('no other user is shown any secret', async () => {
  for (const name of names()) await ana.call('cap_rename', { name, visibility: 'project' });
  const shown: unknown[] = [await ben.list('tools/list', 'tools').then((tools) => tools.filter(isOfPml))];
  const looks = names().flatMap((name) => [
    ['cap_whois', { name }],
    ['cap_history', { name }],
    ['cap_lookup', { name }],
  ]);
  const asks = [
    ...looks,
    ['cap_list', { limit: 1000 }],
    ['cap_list', { type: 'mcp-server' }],
    ['cap_stats', {}],
    ...['work', 'teller', 'web', 'away'].map((name) => ['cap_whois', { name: `mcp:${name}` }]),
    ...['web', 'away'].map((name) => ['cap_history', { name: `mcp:${name}` }]),
    ['pml_execute', { intent: 'log in, send, read, use it with a password' }],
    ...['web:tool', 'away:tool', 'words:w0'].map((name) => [name, {}]),
  ] as [string, object][];
  for (const [tool, input] of asks) shown.push(await ben.call(tool, input).catch(String));
  const url = await bed.url();
  for (const page of ['/metrics', '/', '/readyz']) shown.push(await (await fetch(url + page)).text());
  shown.push(await bed.pml.run(['status', '--json']), await bed.pml.run(['status']));
  const text = JSON.stringify(shown);
  assert.match(text, /words:w0/);
  assert.match(text, /127\.0\.0\.1/);
  assertNone(text, 'what others are shown');
});

test('no bundle and no skill holds any secret', async () => {
  const options = { env: { PML_USER: 'ana' } };
  const bundle = await bed.pml.run(['export', '--out', join(bed.pml.dir, 'all.json')], options);
  assert.equal(bundle.code, 0, bundle.stderr);
  const skills = await bed.pml.run(
    ['export', '--format', 'skill', '--out', join(bed.pml.dir, 'skills')],
    options,
  );
  assert.equal(skills.code, 0, skills.stderr);
  const files = [join(bed.pml.dir, 'all.json'), ...filesIn(join(bed.pml.dir, 'skills'))];
  assert.ok(files.length > 10);
  for (const file of files) assertNone(readFileSync(file, 'latin1'), file);
});

test('the doctor shows no secret', async () => {
  const { stdout, stderr } = await bed.pml.run(['doctor']);
  assert.match(stdout, /server teller/);
  assertNone(stdout + stderr, 'pml doctor');
});

test('neither the database nor any file of the home holds any secret', async () => {
  await bed.pml.run(['down']);
  const files = filesIn(bed.pml.home);
  assert.ok(files.some((file) => file.endsWith('pml.log')));
  for (const file of files) assertNone(readFileSync(file, 'latin1'), file);
  const tables = await bed.rows(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  assert.ok(tables.length > 10);
  for (const { name } of tables) {
    const rows = await bed.rows(`select t::text as text from "${name}" t`);
    assertNone(rows.map(({ text }) => text).join('\n'), `the table ${name}`);
  }
  const errors = await bed.rows('select error from tool_usage where error is not null');
  assert.ok(errors.some(({ error }) => error.includes('[hidden]')));
  // Proof that the search works.
  const recorded = await bed.rows('select 1 from run_recordings');
  assert.ok(recorded.length > 5);
});

/** Excludes the servers' own tools: their text is shown unchanged to whoever configured them. */
function isOfPml({ name }: Loose): boolean {
  return !/^(?:mcp__)?(?:teller|work)(?:__|:)/.test(name);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile());
}

/** Finds not even the start of a secret. */
function assertNone(text: string, where: string): void {
  const found = [...canaries].filter(([secret]) => text.includes(secret.slice(0, 14)));
  assert.deepEqual(
    found.map(([secret, way]) => {
      const at = text.indexOf(secret.slice(0, 14));
      return `${way}: ${text.slice(Math.max(0, at - 120), at + 20)}`;
    }),
    [],
    where,
  );
}
