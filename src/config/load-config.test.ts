// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { PmlError } from '../errors.ts';
import { homeOf } from '../home.js';
import type { Flags } from './environment.ts';
import { jsonSchema } from './file-schema.ts';
import type { Config } from './index.ts';
import { loadTrusting as loadConfig } from './testing.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'pml-config-'));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

/** Makes a folder with these files. */
function folder(files: Record<string, string> = {}): string {
  const made = path.join(root, String(count++));
  mkdirSync(made);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
    writeFileSync(path.join(made, name), text);
  }
  return made;
}

type Env = Record<string, string>;

function load(config: object): Config {
  const cwd = folder({ 'pml.json': JSON.stringify(config) });
  return loadConfig({ cwd, env: { HOME: cwd } });
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    assert.ok(thrown instanceof PmlError, String(thrown));
    assert.equal(thrown.code, 'config_invalid');
    return thrown.message;
  }
  return assert.fail('no error');
}

test('without a file the config is empty, with the defaults', () => {
  const cwd = folder();
  const config = loadConfig({ cwd, env: { HOME: cwd } });
  assert.deepEqual(config, {
    file: null,
    home: path.join(cwd, '.pml'),
    host: '127.0.0.1',
    port: 3737,
    logLevel: 'info',
    user: os.userInfo().username,
    scope: { org: 'local', project: 'default' },
    admin: false,
    servers: [],
    disabledServers: [],
    expose: { upstream: 'all', capabilities: 'all' },
    exposeBudget: 20_000,
    sandbox: { timeoutMs: 30_000, memoryMb: 128, concurrency: 8 },
    curation: {
      model: 'haiku',
      threshold: 10,
      auto: false,
      minConfidence: 0.8,
      maxTokens: 50_000,
      timeoutMs: 30_000,
    },
    models: {},
    modelPrices: {},
    learning: { plainCalls: true },
    discovery: { embeddings: 'auto' },
    names: { reserveDays: 30, listed: 'mcp' },
    journal: { keepDays: 90 },
    lifecycle: { unusedDays: 90, minSuccessRate: 0.5, minCalls: 5 },
    agents: {},
    defaultAgent: null,
    secrets: [],
  });
});

test('a config is frozen at every depth', () => {
  const config = load({ mcpServers: { a: { command: 'x', args: ['1'] } } });
  assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
  assert.throws(() => Object.assign(config.sandbox, { memoryMb: 1 }), TypeError);
  const transport = config.servers[0]?.transport;
  assert.ok(transport?.kind === 'stdio');
  assert.throws(() => transport.args.push('2'), TypeError);
});

test('the file is found by flag, then PML_CONFIG, then upwards, then in the home', () => {
  const base = folder({
    'flag.json': '{}',
    'env.json': '{}',
    'pml.json': '{}',
    'a/b/c/.keep': '',
    'home/pml.json': '{}',
    'a/pml.json/is-a-folder': '',
  });
  const cwd = path.join(base, 'a/b/c');
  const find = (env: Env, flags?: Flags, from = cwd) =>
    loadConfig({ cwd: from, env: { HOME: base, ...env }, flags }).file;
  assert.equal(
    find({ PML_CONFIG: '../../../env.json' }, { config: '../../../flag.json' }),
    path.join(base, 'flag.json'),
  );
  assert.equal(find({ PML_CONFIG: '../../../env.json' }), path.join(base, 'env.json'));
  assert.equal(find({ PML_CONFIG: '~/env.json' }), path.join(base, 'env.json'));
  assert.equal(find({}), path.join(base, 'pml.json'));
  const elsewhere = folder();
  assert.equal(find({ PML_HOME: '~/home' }, {}, elsewhere), path.join(base, 'home/pml.json'));
  assert.equal(find({ PML_HOME: elsewhere }, {}, elsewhere), null);
});

test('a named config that does not exist is an error with its path', () => {
  const cwd = folder();
  const missing = path.join(cwd, 'nope.json');
  const env = { HOME: cwd, PML_CONFIG: 'nope.json' };
  assert.equal(
    failure(() => loadConfig({ cwd, env })),
    `PML_CONFIG: no such file: ${missing}`,
  );
  const flags = { config: 'nope.json' };
  assert.equal(
    failure(() => loadConfig({ cwd, env: {}, flags })),
    `--config: no such file: ${missing}`,
  );
  const isFolder = { config: '.' };
  assert.equal(
    failure(() => loadConfig({ cwd, env: {}, flags: isFolder })),
    `${cwd}: cannot be read (EISDIR)`,
  );
});

test('flag beats environment, environment beats file, file beats default', () => {
  const cwd = folder({ 'pml.json': '{ "scope": { "org": "acme", "project": "web", "admins": ["ana"] } }' });
  const base = { HOME: cwd };
  assert.deepEqual(loadConfig({ cwd, env: base }).scope, { org: 'acme', project: 'web' });
  assert.deepEqual(loadConfig({ cwd, env: { ...base, PML_PROJECT: 'api' } }).scope, {
    org: 'acme',
    project: 'api',
  });
  assert.equal(loadConfig({ cwd, env: { ...base, PML_PORT: '4000' } }).port, 4000);
  // The file names admins for its own scope only.
  const admin = (env: object) => loadConfig({ cwd, env: { ...base, ...env } }).admin;
  assert.equal(admin({ PML_USER: 'ana' }), true);
  assert.equal(admin({ PML_USER: 'ben' }), false);
  assert.equal(admin({ PML_USER: 'ana', PML_PROJECT: 'api' }), false);
  const flags = { port: 5000, host: '0.0.0.0' };
  const flagged = loadConfig({
    cwd,
    env: { ...base, PML_PORT: '4000', PML_LOG: 'WARN', PML_USER: 'ana' },
    flags,
  });
  const { port, host, logLevel, user } = flagged;
  assert.deepEqual(
    { port, host, logLevel, user },
    { port: 5000, host: '0.0.0.0', logLevel: 'warn', user: 'ana' },
  );
  assert.equal(loadConfig({ cwd, env: { ...base, PML_PORT: '', PML_LOG: ' ' } }).port, 3737);
});

test('the home may be given with ~', () => {
  assert.equal(homeOf({ HOME: root, PML_HOME: '~/x' }), path.join(root, 'x'));
  assert.equal(homeOf({ HOME: root }), path.join(root, '.pml'));
  assert.equal(homeOf({ PML_HOME: ' x ' }, root), path.join(root, 'x'));
  assert.equal(loadConfig({ cwd: root, env: { PML_HOME: 'x' } }).home, path.join(root, 'x'));
});

const BAD_ENVIRONMENT: [Env, Flags, string][] = [
  [{ PML_PORT: 'x' }, {}, 'PML_PORT: expected a port from 0 to 65535, got "x"'],
  [{ PML_PORT: '65536' }, {}, 'PML_PORT: expected a port from 0 to 65535, got "65536"'],
  [{}, { port: -1 }, '--port: expected a port from 0 to 65535, got "-1"'],
  [{}, { port: Number.NaN }, '--port: expected a port from 0 to 65535, got "NaN"'],
  [{}, { host: '' }, '--host: must not be empty'],
  [
    { PML_LOG: 'warm' },
    {},
    'PML_LOG: expected debug, info, warn, error, silent, got "warm"; did you mean "warn"?',
  ],
  [{ PML_ORG: 'a.b' }, {}, 'PML_ORG: must be 1 to 64 letters, digits, "_" or "-", got "a.b"'],
  [{ PML_PROJECT: 'a b' }, {}, 'PML_PROJECT: must be 1 to 64 letters, digits, "_" or "-", got "a b"'],
  [{ PML_USER: 'a\nb' }, {}, 'PML_USER: too long, or with control characters'],
  [{ PML_DATABASE_URL: 'mysql://root:hunter22@h/d' }, {}, 'PML_DATABASE_URL: is not a postgres:// address'],
];

for (const [env, flags, message] of BAD_ENVIRONMENT) {
  test(`environment: ${message}`, () => {
    const cwd = folder();
    assert.equal(
      failure(() => loadConfig({ cwd, env: { HOME: cwd, ...env }, flags })),
      message,
    );
  });
}

test('every form of expose becomes the same object', () => {
  assert.deepEqual(load({ expose: 'lean' }).expose, { upstream: 'none', capabilities: 'none' });
  assert.deepEqual(load({ expose: 'auto' }).expose, { upstream: 'auto', capabilities: 'all' });
  assert.deepEqual(load({ expose: { capabilities: 20 } }).expose, { upstream: 'all', capabilities: 20 });
});

test('variables are expanded in the scope, the models and what agents are given, and nowhere else', () => {
  const config = {
    scope: { org: '${ORG}', project: 'p-${PART:-x}', admins: ['${BOSS}'] },
    curation: { model: 'http://${HOST}/v1#${MODEL_KEY}' },
    agents: {
      reader: {
        systemPrompt: 'Write ${ORG}.',
        model: 'openai/${ORG}',
        capabilities: { files: { dirs: ['${DIR}/docs', '$${DIR}'] } },
      },
    },
    envFile: 'pml.env',
  };
  const cwd = folder({ 'pml.json': JSON.stringify(config), 'pml.env': 'DIR=/data' });
  const env = { HOME: cwd, ORG: 'acme', BOSS: 'kim', HOST: '127.0.0.1:1', MODEL_KEY: 's3cr3t-value' };
  const { scope, admin, curation, agents, secrets } = loadConfig({
    cwd,
    env: { ...env, PML_USER: 'kim' },
  });
  assert.deepEqual([scope, admin], [{ org: 'acme', project: 'p-x' }, true]);
  assert.equal(curation.model, 'http://127.0.0.1:1/v1#s3cr3t-value');
  assert.deepEqual(agents.reader, {
    systemPrompt: 'Write ${ORG}.',
    model: 'openai/acme',
    capabilities: { files: { dirs: ['/data/docs', '${DIR}'] } },
  });
  assert.deepEqual(secrets, ['/data', 's3cr3t-value']);
});

test('a variable of a setting that is not set, or whose value is wrong, is one problem without the value', () => {
  const cwd = folder({ 'pml.json': JSON.stringify({ scope: { org: '${NOPE}', project: '${P}' } }) });
  assert.deepEqual(failure(() => loadConfig({ cwd, env: { HOME: cwd, P: 'not a name' } })).split('\n'), [
    'pml.json: scope.org: the environment variable NOPE is not set; set it or write ${NOPE:-default}',
    'pml.json: scope.project: must be 1 to 64 letters, digits, "_" or "-"',
  ]);
});

test('loadConfig fails with nothing but a PmlError', () => {
  const cwd = folder();
  const keys = [
    'mcpServers',
    'command',
    'args',
    'env',
    'url',
    'headers',
    'pml',
    'tools',
    'expose',
    'scope',
    'agents',
    'type',
    'a',
    '${X}',
  ];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>('${A}', '${B:-', 'stdio', null, 0, true, 'http://x'),
      fc.string(),
      tie('object'),
      fc.array(tie('tree')),
    ),
    object: fc.dictionary(fc.constantFrom(...keys), tie('tree'), { noNullPrototype: true }),
  }));
  const text = fc.oneof(
    tree.map((value) => JSON.stringify(value)),
    tree.map((value) => JSON.stringify({ mcpServers: { it: value } })),
    fc.string(),
  );
  const env = fc.dictionary(
    fc.constantFrom('PML_PORT', 'PML_LOG', 'PML_ORG', 'PML_USER', 'PML_DATABASE_URL', 'A'),
    fc.string(),
    { noNullPrototype: true },
  );
  const property = fc.property(text, fc.string(), env, (json, yaml, variables) => {
    writeFileSync(path.join(cwd, 'pml.json'), json);
    writeFileSync(path.join(cwd, 'mcp-permissions.yaml'), yaml);
    for (const each of [{}, variables]) {
      try {
        loadConfig({ cwd, env: { ...each, HOME: cwd } });
      } catch (thrown) {
        assert.ok(thrown instanceof PmlError, String((thrown as Error)?.stack));
      }
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test('schema/pml.schema.json is what scripts/schema.ts writes', () => {
  const script = path.join(import.meta.dirname, '..', '..', 'scripts', 'schema.ts');
  execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
});

test('every key in the schema has a description', () => {
  const check = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties = {}, additionalProperties, anyOf = [] } = schema as Record<string, object>;
    for (const [key, child] of Object.entries(properties)) {
      assert.ok('description' in child, `${at}.${key}`);
      check(child, `${at}.${key}`);
    }
    for (const child of Object.values(anyOf)) check(child, at);
    check(additionalProperties, `${at}.*`);
  };
  check(jsonSchema(), '');
});
