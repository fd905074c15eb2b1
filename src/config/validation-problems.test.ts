// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { PmlError } from '../errors.ts';
import { loadTrusting as loadConfig } from './testing.ts';

const cwd = mkdtempSync(path.join(os.tmpdir(), 'pml-problems-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

/** Returns the message of loadConfig for a wrong pml.json. */
function failure(config: unknown, env: Record<string, string> = {}, from = cwd): string {
  writeFileSync(path.join(cwd, 'pml.json'), typeof config === 'string' ? config : JSON.stringify(config));
  try {
    loadConfig({ cwd: from, env: { HOME: cwd, ...env } });
  } catch (thrown) {
    assert.ok(thrown instanceof PmlError, String(thrown));
    assert.equal(thrown.code, 'config_invalid');
    return thrown.message;
  }
  return assert.fail('no error');
}

const one = (entry: unknown) => ({ mcpServers: { it: entry } });
const IT = 'pml.json: mcpServers.it';

const BAD_FILES: [config: unknown, message: string][] = [
  ['{ "mcpServers": {\n "a" 1 } }', 'pml.json:2:6: expected ":" after the key "a", found "1"'],
  [[], 'pml.json: expected object, got array'],
  [{ mcpServers: [] }, 'pml.json: mcpServers: expected object, got array'],
  [one(null), `${IT}: expected object, got null`],
  [one('npx --token abcdef'), `${IT}: expected object, got string`],
  [one({ url: 'http://x', pml: { timeoutMs: 'x' } }), `${IT}.pml.timeoutMs: expected number, got string "x"`],
  [one({ url: 'http://x', pml: { timeoutMs: 0 } }), `${IT}.pml.timeoutMs: must be at least 1, got number 0`],
  [
    one({ url: 'http://x', pml: { timeoutMs: 1.5 } }),
    `${IT}.pml.timeoutMs: expected a whole number, got number 1.5`,
  ],
  [
    one({ url: 'http://x', pml: { timoutMs: 1 } }),
    `${IT}.pml.timoutMs: unknown key; did you mean "timeoutMs"?`,
  ],
  [one({ url: 'http://x', pml: { tools: [1] } }), `${IT}.pml.tools[0]: expected string, got number 1`],
  [one({ command: 'x', arg: [] }), `${IT}.arg: unknown key; did you mean "args"?`],
  [one({ command: 'x', wibble: [] }), `${IT}.wibble: unknown key`],
  [one({ command: '' }), `${IT}.command: must not be empty`],
  [one({ command: 'x', env: { A: 5 } }), `${IT}.env.A: expected string, got number`],
  [one({ command: 'x', env: { 'A=B': '5' } }), `${IT}.env["A=B"]: is not a name for a variable`],
  [one({ command: 'x', args: '--token=abc' }), `${IT}.args: expected array, got string`],
  [one({}), `${IT}: needs "command" (a program) or "url" (a remote server)`],
  [one({ command: 'x', url: 'http://x' }), `${IT}: has both "command" and "url"; keep one of them`],
  [one({ type: 'stdio', url: 'http://x' }), `${IT}.type: "stdio" does not go with "url"`],
  [one({ type: 'http', command: 'x' }), `${IT}.type: "http" does not go with "command"`],
  [one({ url: 'http://x', env: { A: '1' } }), `${IT}.env: has no use beside "url"; remove it`],
  [one({ command: 'x', headers: { A: '1' } }), `${IT}.headers: has no use beside "command"; remove it`],
  [one({ url: 'ftp://x' }), `${IT}.url: is not an http:// or https:// address`],
  [one({ url: 'http://x', headers: { 'a b': 'c' } }), `${IT}.headers["a b"]: is not a valid HTTP header`],
  [one({ command: 'x\0y' }), `${IT}.command: holds a NUL character`],
  [one({ command: '${env:X}' }), `${IT}.command: \${env:…} is another client's form; write \${NAME}`],
  [one({ command: '${X:-y' }), `${IT}.command: \${X:-… has no closing "}"`],
  [one({ command: '${X:-${Y}}' }), `${IT}.command: the default of \${X:-…} may not hold another \${…}`],
  [
    one({ command: 'x', disabledTools: ['rm'] }),
    `${IT}.disabledTools: PML does not read this key; PML has a list of allowed tools alone: "pml": { "tools": [...] }`,
  ],
  [
    one({ serverUrl: 'https://x', url: 'https://x' }),
    `${IT}.serverUrl: PML does not read this key; write "url"`,
  ],
  [
    one({ type: 'htpp', url: 'http://x' }),
    `${IT}.type: expected "stdio" or "http" or "streamable-http" or "streamableHttp" or "sse", got string "htpp"; did you mean "http"?`,
  ],
  [
    { mcpServers: { 'my server!': { command: 'x' } } },
    'pml.json: mcpServers["my server!"]: a name has 1 to 64 letters, digits, "_", "." or "-"; try "my-server"',
  ],
  [{ servers: {} }, 'pml.json: servers: PML does not read this key; write "mcpServers"'],
  [{ mcpservers: {} }, 'pml.json: mcpservers: unknown key; did you mean "mcpServers"?'],
  [{ scope: { org: 'a.b' } }, 'pml.json: scope.org: must be 1 to 64 letters, digits, "_" or "-"'],
  [
    { expose: 'leen' },
    'pml.json: expose: expected "all" or "auto" or "lean" or object, got string "leen"; did you mean "lean"?',
  ],
  [{ expose: { upstrem: 'all' } }, 'pml.json: expose.upstrem: unknown key; did you mean "upstream"?'],
  [
    { expose: { capabilities: true } },
    'pml.json: expose.capabilities: expected "all" or "none" or number, got boolean true',
  ],
  [
    { discovery: { embeddings: { url: 'ftp://a.example', model: 'm' } } },
    'pml.json: discovery.embeddings.url: is not an http:// or https:// address',
  ],
  [
    { discovery: { embeddings: { url: 'http://a:bcdef@a.example', model: 'm', apiKey: 'a\nb' } } },
    'pml.json: discovery.embeddings.url: must hold no user or password; use "apiKey"\npml.json: discovery.embeddings.apiKey: cannot be sent in an HTTP header',
  ],
  [{ curation: { minConfidence: 2 } }, 'pml.json: curation.minConfidence: must be at most 1, got number 2'],
  [
    { agents: { a: { capabilities: { fs: [] } } } },
    'pml.json: agents.a.capabilities.fs: expected object, got array',
  ],
];

for (const [config, message] of BAD_FILES) {
  test(`file: ${message}`, () => assert.equal(failure(config), message));
}

test('all problems are reported at once, a line each', () => {
  const message = failure({
    mcpServers: { a: { command: '${NOPE}', wibble: 1 }, b: { url: '${NADA}' }, c: {} },
    names: { reserveDays: -1 },
  });
  assert.deepEqual(message.split('\n'), [
    'pml.json: mcpServers.a.wibble: unknown key',
    'pml.json: mcpServers.a.command: the environment variable NOPE is not set; set it or write ${NOPE:-default}',
    'pml.json: mcpServers.b.url: the environment variable NADA is not set; set it or write ${NADA:-default}',
    'pml.json: mcpServers.c: needs "command" (a program) or "url" (a remote server)',
    'pml.json: names.reserveDays: must be at least 0, got number -1',
  ]);
});

test('a file outside the working directory is named in full', () => {
  const sub = path.join(cwd, 'sub');
  mkdirSync(sub);
  assert.equal(failure({ x: 1 }, {}, sub), `${path.join(cwd, 'pml.json')}: x: unknown key`);
});

test('no message contains a value from the environment', () => {
  const secret = 'S3CR3T-value';
  const entries = [
    { url: 'ftp://${KEY}' },
    { url: 'http://x', headers: { 'a b': '${KEY}' } },
    { url: 'http://x', headers: { a: '${KEY}\n\0' } },
    { command: '${KEY}\0' },
    { command: '${KEY}', type: 'http' },
  ];
  for (const entry of entries) assert.ok(!failure(one(entry), { KEY: secret }).includes(secret));
});
