// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../../config/index.ts';
import { loadTrusting } from '../../config/testing.ts';
import { PmlError } from '../../errors.ts';
import { type Answer, type InitOptions, init } from './init.ts';

const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'pml-init-')));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

/** Makes a user with these files at home and a project in ~/app; `run` calls init there. */
function user(files: Record<string, unknown>, platform: NodeJS.Platform = 'linux') {
  const homeDir = path.join(root, String(count++));
  const cwd = path.join(homeDir, 'app');
  const write = (name: string, content: unknown) => {
    const file = path.join(homeDir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  mkdirSync(cwd, { recursive: true });
  for (const [name, content] of Object.entries(files)) write(name, content);
  const lines: string[] = [];
  const run = async (options: Partial<InitOptions> = {}) => {
    const ask = async () => assert.fail('asked');
    const print = (line: string) => void lines.push(line);
    await init({ cwd, homeDir, platform, env: {}, yes: false, interactive: false, ask, print, ...options });
  };
  const read = (name: string) => readFileSync(path.join(homeDir, name), 'utf8');
  const servers = () => JSON.parse(read('app/pml.json')).mcpServers;
  return { homeDir, cwd, lines, run, read, servers, write };
}

const claudeJson = (homeDir: string) => ({
  numStartups: 42,
  tipsHistory: { 'new-user-warmup': 3 },
  mcpServers: { github: { type: 'http', url: 'https://api.githubcopilot.com/mcp/' } },
  projects: {
    [path.join(homeDir, 'app')]: {
      allowedTools: [],
      mcpServers: {
        db: { type: 'stdio', command: 'uvx', args: ['mcp-db'], env: { DB_PASSWORD: 'hunter2222' } },
      },
    },
    [path.join(homeDir, 'other')]: { mcpServers: { other: { command: 'other' } } },
  },
  oauthAccount: { emailAddress: 'ana@example.com' },
});

const DESKTOP = {
  globalShortcut: '',
  mcpServers: {
    filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/data'] },
    pml: { command: 'pml', args: ['serve'] },
  },
};

const VSCODE = `{
  // asked for once, then kept in the keychain
  "inputs": [{ "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true }],
  "servers": {
    "perplexity": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "server-perplexity-ask"],
      "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}", "REGION": "\${env:REGION}" },
    },
  }
}`;

const FOLDERS: [NodeJS.Platform, settings: string][] = [
  ['linux', '.config'],
  ['darwin', 'Library/Application Support'],
  ['win32', 'AppData/Roaming'],
];

for (const [platform, settings] of FOLDERS) {
  test(`on ${platform} init finds and takes the servers of every client`, async () => {
    const ana = user(
      {
        'app/.mcp.json': { mcpServers: { shared: { command: 'npx', args: ['${PKG:-shared}'] } } },
        'app/.vscode/mcp.json': { servers: { local: { command: '${workspaceFolder}/run.sh' } } },
        'app/.cursor/mcp.json': { mcpServers: { filesystem: { command: 'other-filesystem' } } },
        '.cursor/mcp.json': {
          mcpServers: { github: { url: 'https://api.githubcopilot.com/mcp/' }, empty: {} },
        },
        [`${settings}/Claude/claude_desktop_config.json`]: DESKTOP,
        [`${settings}/Code/User/mcp.json`]: VSCODE,
      },
      platform,
    );
    ana.write('.claude.json', claudeJson(ana.homeDir));
    await ana.run({ yes: true });

    assert.deepEqual(ana.servers(), {
      shared: { command: 'npx', args: ['${PKG:-shared}'] },
      filesystem: { command: 'other-filesystem' },
      local: { command: path.join(ana.cwd, 'run.sh') },
      db: { command: 'uvx', args: ['mcp-db'], env: { DB_PASSWORD: 'hunter2222' } },
      github: { url: 'https://api.githubcopilot.com/mcp/' },
      'filesystem-claude-desktop': DESKTOP.mcpServers.filesystem,
      perplexity: {
        command: 'npx',
        args: ['-y', 'server-perplexity-ask'],
        env: { PERPLEXITY_API_KEY: '${PERPLEXITY_KEY}', REGION: '${REGION}' },
      },
    });
    for (const line of [
      'Claude Code (~/.claude.json): 2 servers',
      '  pml: left out: is PML itself',
      '  empty: left out: has no "command" and no "url", or both',
      '    another server is called filesystem',
      '    env.DB_PASSWORD is a secret in plain text: rather write ${DB_PASSWORD} and set DB_PASSWORD',
      '    ${input:perplexity-key} became ${PERPLEXITY_KEY}: set PERPLEXITY_KEY (Perplexity API Key)',
      'Not set here, and needed before PML can start: PERPLEXITY_KEY, REGION',
      'pml.json now holds secrets in plain text: keep it out of version control.',
    ]) {
      const slashed = ana.lines.map((each) => each.replaceAll('\\', '/'));
      assert.ok(slashed.includes(line), `${line}\n---\n${slashed.join('\n')}`);
    }
    const env = { HOME: ana.homeDir, PERPLEXITY_KEY: 'p', REGION: 'eu' };
    assert.equal(loadConfig({ cwd: ana.cwd, env }).servers.length, 7);
    assert.equal(ana.read('.claude.json'), JSON.stringify(claudeJson(ana.homeDir), null, 2));
  });
}

test('a file with secrets can be read by its owner alone', {
  skip: process.platform === 'win32',
}, async () => {
  const secret = user({
    'app/.mcp.json': { mcpServers: { a: { command: 'x', env: { API_KEY: 'abcdefgh' } } } },
  });
  await secret.run({ yes: true });
  assert.equal(statSync(path.join(secret.cwd, 'pml.json')).mode & 0o777, 0o600);
});

test('an invalid file is reported, and the others are read', async () => {
  const ana = user({
    'app/.mcp.json': '{ "mcpServers": {\n  "a" } }',
    '.cursor/mcp.json': { mcpServers: { b: { command: 'b' } } },
    'app/.vscode/mcp.json': '',
  });
  await ana.run({ yes: true });
  assert.deepEqual(Object.keys(ana.servers()), ['b']);
  const told =
    'Claude Code (~/app/.mcp.json): skipped: line 2, column 7: expected ":" after the key "a", found "}"';
  assert.ok(ana.lines.includes(told), ana.lines.join('\n'));
});

test('init asks about each server, with yes as the default', async () => {
  const mcpServers = { a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' }, d: { command: 'd' } };
  const asked: string[] = [];
  const answering = (...answers: Answer[]) => ({
    interactive: true,
    ask: async (question: string, choices: readonly Answer[]) => {
      asked.push(question);
      return answers.shift() ?? choices[0] ?? assert.fail();
    },
  });
  const each = user({ '.cursor/mcp.json': { mcpServers } });
  await each.run(answering('yes', 'no'));
  assert.deepEqual(Object.keys(each.servers()), ['a', 'c', 'd']);
  assert.deepEqual(asked.slice(0, 4), ['Add a (a)?', 'Add b (b)?', 'Add c (c)?', 'Add d (d)?']);
  const rest = user({ '.cursor/mcp.json': { mcpServers } });
  await rest.run(answering('no', 'all'));
  assert.deepEqual(Object.keys(rest.servers()), ['b', 'c', 'd']);
  const enough = user({ '.cursor/mcp.json': { mcpServers } });
  await enough.run(answering('yes', 'none'));
  assert.deepEqual(Object.keys(enough.servers()), ['a']);
});

test('init offers short names, and with many servers a list that keeps to a budget', async () => {
  const some = { a: { command: 'a' }, b: { command: 'b' } };
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { command: name }]));
  const answering = (...answers: Answer[]) => ({
    interactive: true,
    ask: async () => answers.shift() ?? assert.fail('asked too often'),
  });
  const settings = (ana: ReturnType<typeof user>) => {
    const { names, expose } = JSON.parse(ana.read('app/pml.json'));
    return { names, expose };
  };
  const few = user({ '.cursor/mcp.json': { mcpServers: some } });
  await few.run(answering('all', 'yes'));
  assert.deepEqual(settings(few), { names: { listed: 'short' }, expose: undefined });
  const large = user({ '.cursor/mcp.json': { mcpServers: many } });
  await large.run(answering('all', 'no', 'yes'));
  assert.deepEqual(settings(large), { names: undefined, expose: 'auto' });
  const config = loadTrusting({ cwd: large.cwd, env: { HOME: large.homeDir } });
  assert.deepEqual([config.expose.upstream, config.names.listed], ['auto', 'mcp']);
  // Whoever is not asked keeps the defaults, and is told.
  const script = user({ '.cursor/mcp.json': { mcpServers: many } });
  await script.run({ yes: true });
  assert.deepEqual(settings(script), { names: undefined, expose: undefined });
  assert.ok(script.lines.some((line) => line.includes('"expose": "auto" and "names"')));
});

test('without a person and without --yes, init lists the servers and writes nothing', async () => {
  const entry = { command: 'npx', args: ['-y', 'pkg', '--token', 'abcdef'] };
  const ana = user({
    '.cursor/mcp.json': { mcpServers: { a: entry, b: { url: 'https://u:p@x/mcp?key=1' } } },
  });
  await assert.rejects(ana.run(), (thrown) => thrown instanceof PmlError && thrown.code === 'bad_request');
  assert.deepEqual(ana.lines, [
    'Cursor (~/.cursor/mcp.json): 2 servers',
    '  a: npx pkg',
    '  b: https://x/mcp',
  ]);
  assert.throws(() => ana.servers(), { code: 'ENOENT' });
});

test('without any servers init writes an empty config', async () => {
  const ana = user({});
  await ana.run();
  assert.deepEqual(ana.servers(), {});
  assert.deepEqual(ana.lines, ['No servers found.', 'Wrote pml.json']);
  assert.deepEqual(loadConfig({ cwd: ana.cwd, env: { HOME: ana.homeDir } }).servers, []);
});

test('init adds to an existing pml.json, and a second run changes nothing', async () => {
  const ana = user({
    'app/pml.json': '{\n  // mine\n  "mcpServers": { "a": { "command": "mine" } },\n  "expose": "lean"\n}\n',
    '.cursor/mcp.json': { mcpServers: { a: { command: 'theirs' }, b: { command: 'b' } } },
  });
  await ana.run({ yes: true });
  const text = ana.read('app/pml.json');
  assert.match(text, /\/\/ mine/);
  assert.ok(
    ana.lines.some((line) => line.includes('not trusted yet')),
    'what was there before is not trusted by adding',
  );
  const config = loadTrusting({ cwd: ana.cwd, env: { HOME: ana.homeDir } });
  const commands = config.servers.map(({ transport }) => transport.kind === 'stdio' && transport.command);
  assert.deepEqual(commands, ['mine', 'b']);
  assert.equal(config.expose.upstream, 'none');
  await ana.run({ yes: true });
  assert.equal(ana.read('app/pml.json'), text);
  assert.deepEqual(ana.lines.slice(-2), ['Already in pml.json: a, b', 'pml.json stays as it is.']);
});

test('an invalid pml.json is not overwritten', async () => {
  const ana = user({ 'app/pml.json': '{ oops', '.cursor/mcp.json': { mcpServers: { b: { command: 'b' } } } });
  await assert.rejects(ana.run({ yes: true }), { code: 'config_invalid' });
  assert.equal(ana.read('app/pml.json'), '{ oops');
});

test('--from reads one file, of any client', async () => {
  const settings = { 'editor.fontSize': 12, mcp: { servers: { old: { command: 'x' } } } };
  const ana = user({
    '.cursor/mcp.json': { mcpServers: { b: { command: 'b' } } },
    'app/settings.json': settings,
  });
  await ana.run({ yes: true, from: 'settings.json' });
  assert.deepEqual(ana.servers(), { old: { command: 'x' } });
  const missing = `--from: no such file: ${path.join(ana.cwd, 'nope.json')}`;
  await assert.rejects(ana.run({ yes: true, from: 'nope.json' }), { code: 'bad_request', message: missing });
  ana.write('app/broken.json', '{');
  await assert.rejects(ana.run({ yes: true, from: 'broken.json' }), { code: 'bad_request' });
});

test('names that PML does not allow are changed', async () => {
  const ana = user({
    '.cursor/mcp.json': { mcpServers: { 'My Server!': { command: 'x' }, '✨': { command: 'y' } } },
  });
  await ana.run({ yes: true });
  assert.deepEqual(Object.keys(ana.servers()), ['My-Server', 'server']);
  assert.ok(ana.lines.includes('    is called "My Server!" there'));
});

test('a pml.json that is a link stays one', { skip: process.platform === 'win32' }, async () => {
  const ana = user({ 'real.json': '{}', '.cursor/mcp.json': { mcpServers: { b: { command: 'b' } } } });
  symlinkSync(path.join(ana.homeDir, 'real.json'), path.join(ana.cwd, 'pml.json'));
  await ana.run({ yes: true });
  assert.match(ana.read('real.json'), /"b"/);
});
