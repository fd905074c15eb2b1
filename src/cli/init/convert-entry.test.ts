// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostInfo } from './client-files.ts';
import { type Converted, convertEntry } from './convert-entry.ts';

const host: HostInfo = { platform: 'linux', homeDir: '/home/ana', env: {}, cwd: '/work/app' };
const inputs = new Map([['github-token', 'GitHub token']]);
const asConverted = (raw: unknown, from = host): Converted => convertEntry(raw, from, inputs);

const CASES: [what: string, raw: unknown, converted: Converted][] = [
  [
    'an entry as most clients write it stays as it is',
    { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
    { entry: { command: 'npx', args: ['-y', 'x'], env: { A: '1' } }, notes: [] },
  ],
  [
    'what goes without saying, or says nothing to PML, goes',
    { type: 'stdio', command: 'x', args: [], env: {}, disabled: false, autoApprove: ['a'], gallery: true },
    { entry: { command: 'x' }, notes: [] },
  ],
  [
    "VS Code's variables",
    {
      command: '${userHome}/x',
      args: ['${workspaceFolder}${/}src', '${env:A}', '${workspaceFolderBasename}'],
    },
    {
      entry: { command: '${HOME}/x', args: ['/work/app/src', '${A}', 'app'] },
      notes: ["${workspaceFolder} became this folder's path"],
    },
  ],
  [
    "VS Code's inputs",
    { type: 'http', url: 'https://x/', headers: { Authorization: 'Bearer ${input:github-token}' } },
    {
      entry: { url: 'https://x/', headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } },
      notes: ['${input:github-token} became ${GITHUB_TOKEN}: set GITHUB_TOKEN (GitHub token)'],
    },
  ],
  [
    'an input that nobody describes',
    { command: 'x', args: ['${input:apiKey2}'] },
    {
      entry: { command: 'x', args: ['${API_KEY2}'] },
      notes: ['${input:apiKey2} became ${API_KEY2}: set API_KEY2'],
    },
  ],
  [
    'numbers, booleans and null as variables',
    { command: 'x', args: [1], env: { A: 1, B: true, C: null } },
    { entry: { command: 'x', args: ['1'], env: { A: '1', B: 'true' } }, notes: [] },
  ],
  [
    'Zed',
    { source: 'custom', enabled: true, command: 'x', args: ['a'], env: { A: '1' } },
    { entry: { command: 'x', args: ['a'], env: { A: '1' } }, notes: [] },
  ],
  [
    'an older Zed',
    { command: { path: 'x', args: ['a'], env: { A: '1' } }, settings: {} },
    { entry: { command: 'x', args: ['a'], env: { A: '1' } }, notes: [] },
  ],
  [
    'Zed, switched off',
    { enabled: false, url: 'https://x/' },
    { entry: { url: 'https://x/', disabled: true }, notes: [] },
  ],
  [
    'an extension of Zed',
    { source: 'extension', enabled: true, settings: { key: 'x' } },
    { skipped: 'is an extension of Zed' },
  ],
  [
    'Windsurf, switched off',
    { command: 'x', disabled: true, disabledTools: [] },
    { entry: { command: 'x', disabled: true }, notes: [] },
  ],
  ['Windsurf', { serverUrl: 'https://x/mcp' }, { entry: { url: 'https://x/mcp' }, notes: [] }],
  [
    'Gemini CLI',
    { httpUrl: 'https://x/mcp', includeTools: ['a'], trust: true },
    { entry: { url: 'https://x/mcp', pml: { tools: ['a'] } }, notes: [] },
  ],
  [
    "Cline's program",
    { transport: { type: 'streamableHttp', url: 'https://x/mcp' }, disabled: true, metadata: {} },
    { entry: { url: 'https://x/mcp', disabled: true }, notes: [] },
  ],
  [
    'Copilot CLI',
    { type: 'local', command: 'x', tools: ['*'], cwd: 'sub' },
    { entry: { command: 'x', cwd: 'sub' }, notes: [] },
  ],
  ['SSE', { type: 'sse', url: 'http://x/sse' }, { entry: { type: 'sse', url: 'http://x/sse' }, notes: [] }],
  [
    'what is lost is told',
    {
      command: 'x',
      headers: { A: 'b' },
      timeout: 5,
      disabledTools: ['rm'],
      icon: 'y',
      oauth: { clientId: 'z' },
    },
    {
      entry: { command: 'x' },
      notes: [
        'headers is not taken over',
        'timeout is not taken over: set pml.timeoutMs',
        'disabledTools is not taken over, so these tools are offered again: list the others in pml.tools',
        'icon is not taken over',
        'oauth is not taken over: PML sends only what "headers" holds',
      ],
    },
  ],
  [
    'secrets are kept',
    { command: 'x', env: { API_KEY: 'abcdefgh', OTHER_KEY: '${env:OTHER_KEY}', MODE: 'production' } },
    {
      entry: { command: 'x', env: { API_KEY: 'abcdefgh', OTHER_KEY: '${OTHER_KEY}', MODE: 'production' } },
      notes: [],
    },
  ],
  ['PML by its program', { command: '/usr/local/bin/pml', args: ['serve'] }, { skipped: 'is PML itself' }],
  ['PML by its file', { command: 'node', args: ['/x/bin/pml.js', 'serve'] }, { skipped: 'is PML itself' }],
  ['PML by npx', { command: 'npx', args: ['pml', 'serve'] }, { skipped: 'is PML itself' }],
  ['PML by its address', { url: 'http://127.0.0.1:3737/mcp' }, { skipped: 'is PML itself' }],
  ['no object', 'npx', { skipped: 'is not an object' }],
  ['nothing to start', { args: [] }, { skipped: 'has no "command" and no "url", or both' }],
  [
    'a type that PML does not know',
    { type: 'ws', url: 'https://x' },
    { skipped: 'has a value that PML cannot use at "type"' },
  ],
  [
    'stdio with a url',
    { type: 'stdio', url: 'https://x' },
    { skipped: 'has a value that PML cannot use at "type"' },
  ],
  ['an address that is none', { url: 'ws://x' }, { skipped: 'has a "url" that is not http' }],
  [
    'arguments that are none',
    { command: 'x', args: 'y' },
    { skipped: 'has a value that PML cannot use at "args"' },
  ],
];

for (const [what, raw, converted] of CASES) {
  test(`convert: ${what}`, () => assert.deepEqual(asConverted(raw), converted));
}

test("convert: the user's home on Windows", () => {
  const converted = asConverted({ command: '${userHome}${pathSeparator}x' }, { ...host, platform: 'win32' });
  assert.deepEqual(converted, { entry: { command: '${USERPROFILE}\\x' }, notes: [] });
});

test('convert: PML by its address on another port', () => {
  const env = { PML_PORT: '4000' };
  assert.deepEqual(asConverted({ url: 'http://localhost:4000/mcp' }, { ...host, env }), {
    skipped: 'is PML itself',
  });
  assert.ok('entry' in asConverted({ url: 'http://localhost:3737/mcp' }, { ...host, env }));
});
