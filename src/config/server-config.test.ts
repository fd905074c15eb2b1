// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { PmlError } from '../errors.ts';
import type { Config, ServerConfig } from './index.ts';
import { loadTrusting as loadConfig } from './testing.ts';

const cwd = mkdtempSync(path.join(os.tmpdir(), 'pml-servers-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

type Env = Record<string, string>;

function load(config: object, env: Env = {}, files: Record<string, string> = {}): Config {
  const all = { 'pml.json': JSON.stringify(config), 'mcp-permissions.yaml': '', ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(path.join(cwd, name), text);
  return loadConfig({ cwd, env: { HOME: cwd, ...env } });
}

function server(entry: object, env: Env = {}, files: Record<string, string> = {}): ServerConfig {
  const [only] = load({ mcpServers: { it: entry } }, env, files).servers;
  assert.ok(only);
  return only;
}

test('servers take the form that MCP clients use', () => {
  const { servers, file } = load({
    $schema: 'x',
    mcpServers: {
      fs: {
        command: 'npx',
        args: ['-y', 'server'],
        env: { A: '1' },
        cwd: 'sub',
        autoApprove: [],
        timeout: 5,
      },
      plain: { type: 'stdio', command: 'x' },
      web: { url: 'https://a.example/mcp' },
      old: { type: 'sse', url: 'https://b.example/sse', headers: { 'X-A': 'b' } },
      cline: { type: 'streamableHttp', url: 'http://c.example/' },
      roo: { type: 'streamable-http', url: 'http://d.example/', pml: { routing: 'local', prefix: false } },
      off: { command: 'x', disabled: true, env: { A: '${NOT_SET}' } },
    },
  });
  const here = path.dirname(file ?? '');
  const usual = { perSession: false, timeoutMs: 60_000, prefix: true };
  const stdio = { kind: 'stdio', args: [], env: {}, cwd: here };
  const fs = {
    kind: 'stdio',
    command: 'npx',
    args: ['-y', 'server'],
    env: { A: '1' },
    cwd: path.join(here, 'sub'),
  };
  assert.deepEqual(servers, [
    { name: 'fs', transport: fs, routing: 'local', ...usual },
    { name: 'plain', transport: { ...stdio, command: 'x' }, routing: 'local', ...usual },
    {
      name: 'web',
      transport: { kind: 'http', url: 'https://a.example/mcp', headers: {} },
      routing: 'cloud',
      ...usual,
    },
    {
      name: 'old',
      transport: { kind: 'sse', url: 'https://b.example/sse', headers: { 'X-A': 'b' } },
      routing: 'cloud',
      ...usual,
    },
    {
      name: 'cline',
      transport: { kind: 'http', url: 'http://c.example/', headers: {} },
      routing: 'cloud',
      ...usual,
    },
    {
      name: 'roo',
      transport: { kind: 'http', url: 'http://d.example/', headers: {} },
      routing: 'local',
      ...usual,
      prefix: false,
    },
  ]);
});

test('variables are expanded in every string of an entry', () => {
  const env = { CMD: 'node', DIR: 'sub', TOKEN: 't0k3n-value', EMPTY: '' };
  const entry = {
    command: '${CMD}',
    args: ['--dir=${DIR}', '${MISSING:-none}', '${EMPTY:-x}', '${EMPTY}', '$${CMD}', '${x%y}', '$HOME'],
    env: { TOKEN: 'a${TOKEN}b' },
    cwd: '${DIR}',
  };
  const { transport } = server(entry, env);
  assert.ok(transport.kind === 'stdio');
  assert.equal(transport.command, 'node');
  assert.deepEqual(transport.args, ['--dir=sub', 'none', 'x', '', '${CMD}', '${x%y}', '$HOME']);
  assert.deepEqual(transport.env, { TOKEN: 'at0k3n-valueb' });
  assert.equal(path.basename(transport.cwd), 'sub');
  const remote = server({ url: 'https://${CMD}.example/', headers: { A: 'Bearer ${TOKEN}' } }, env).transport;
  assert.deepEqual(remote, {
    kind: 'http',
    url: 'https://node.example/',
    headers: { A: 'Bearer t0k3n-value' },
  });
});

test('an envFile adds variables beneath env', () => {
  const { transport } = server(
    { command: 'x', envFile: '.env', env: { B: '3' } },
    {},
    { '.env': 'A=1\nB="2"\n' },
  );
  assert.ok(transport.kind === 'stdio');
  assert.deepEqual(transport.env, { A: '1', B: '3' });
});

test('the secrets of a config are collected', () => {
  const config = load(
    {
      mcpServers: {
        a: {
          command: 'x',
          args: ['${ARG}', '${HOME}/x'],
          env: { P: '${PASS}', API_KEY: 'literal-key', PORT: '8080' },
        },
        b: {
          url: 'https://u:pa55word@x.example/?api_key=query-key&q=hello',
          headers: { Authorization: 'Bearer head-key' },
        },
        c: { command: 'x', envFile: '.env' },
      },
    },
    { ARG: 'argument', PASS: 'password', PML_DATABASE_URL: 'postgres://u:dbpass@h/d' },
    { '.env': 'X=from-file\nSHORT=1' },
  );
  assert.deepEqual(
    new Set(config.secrets),
    new Set([
      'argument',
      'password',
      'literal-key',
      'pa55word',
      'query-key',
      'Bearer head-key',
      'head-key',
      'from-file',
      'postgres://u:dbpass@h/d',
      'dbpass',
    ]),
  );
});

test('mcp-permissions.yaml gives routing, below pml.json and above the default', () => {
  const mcpServers = {
    a: { command: 'x' },
    b: { command: 'x', pml: { routing: 'local' } },
    c: { url: 'https://x.example' },
    d: { url: 'https://x.example' },
  };
  const yaml =
    'a: { routing: cloud, scope: readonly }\nb:\n  routing: cloud\nc: { routing: local }\nelse: {}\n';
  const { servers } = load({ mcpServers }, {}, { 'mcp-permissions.yaml': yaml });
  assert.deepEqual(
    servers.map((each) => each.routing),
    ['cloud', 'local', 'local', 'cloud'],
  );
});

const BAD_PERMISSIONS: [string, string][] = [
  ['a: { routing: clod }', 'mcp-permissions.yaml: a.routing: expected "local" or "cloud"'],
  ['a: { routing: local', 'mcp-permissions.yaml:1:20: Flow map in block collection'],
  ['- a', 'mcp-permissions.yaml: expected one entry per server'],
  ['a: *x', 'mcp-permissions.yaml: its aliases cannot be resolved'],
];

for (const [yaml, message] of BAD_PERMISSIONS) {
  test(`permissions: ${message}`, () => {
    const run = () => load({ mcpServers: { a: { command: 'x' } } }, {}, { 'mcp-permissions.yaml': yaml });
    assert.throws(run, (thrown) => thrown instanceof PmlError && thrown.message.startsWith(message));
  });
}

test('a variable or a file that is missing here costs its server alone, and is named without any value', () => {
  const secret = 'S3CR3T-value';
  const env = { KEY: secret };
  const missing = [
    [
      { command: 'x', args: ['a', '${NOPE}'] },
      /NOPE is not set; set it or write .* \(mcpServers\.it\.args\[1\]\)$/,
    ],
    [{ command: 'x', envFile: '${KEY}' }, /cannot read this file \(mcpServers\.it\.envFile\)$/],
    [{ url: 'https://a.example/${KEY}/${NOPE}' }, /NOPE is not set.*\(mcpServers\.it\.url\)$/],
    [{ url: 'https://a.example', headers: { A: '${KEY} ${NOPE}' } }, /\(mcpServers\.it\.headers\.A\)$/],
    [{ command: '${KEY}', env: { A: '${NOPE}', B: '${NADA}' } }, /env\.A\); .*NADA is not set.*env\.B\)$/],
  ] as const;
  for (const [entry, words] of missing) {
    const { cannotStart = '' } = server(entry, env);
    assert.match(cannotStart, /^was not started: /);
    assert.match(cannotStart, words);
    assert.ok(!cannotStart.includes(secret));
  }
  const { servers, disabledServers } = load({
    mcpServers: { a: { command: '${NOPE}' }, b: { command: 'x' }, c: { command: '${NOPE}', disabled: true } },
  });
  assert.deepEqual(
    servers.map(({ name, cannotStart }) => [name, cannotStart !== undefined]),
    [
      ['a', true],
      ['b', false],
    ],
  );
  assert.deepEqual(disabledServers, ['c']);
});
