// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { loadConfig, parseJsonc } from '../../config/index.ts';
import { loadTrusting } from '../../config/testing.ts';
import { PmlError } from '../../errors.ts';
import { keepConnections } from './connection-list.ts';
import type { StartedServer } from './finish.ts';
import { type InitOptions, init } from './init.ts';
import type { Choice, Prompts } from './prompts.ts';
import { undoConnections } from './undo.ts';

const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'pml-init-')));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

const NOBODY = {
  pick: async () => assert.fail('asked'),
  confirm: async () => assert.fail('asked'),
  start: async () => assert.fail('started'),
};

/** Answers each question with the next list of labels, or yes or no; keeps what was offered. */
function person(...answers: (string[] | 'all' | 'as offered' | boolean)[]) {
  const offered: Record<string, string[]>[] = [];
  const prompts: Prompts = {
    pick: async <T>(_: string, groups: Readonly<Record<string, Choice<T>[]>>, picked: readonly T[]) => {
      const shown = Object.entries(groups).map(([name, choices]) => [
        name,
        choices.map(({ label, value }) => `${picked.includes(value) ? '*' : ''}${label.split('  ')[0]}`),
      ]);
      offered.push(Object.fromEntries(shown));
      const answer = answers.shift() ?? assert.fail('asked too often');
      const choices = Object.values(groups).flat();
      if (answer === 'as offered') return [...picked];
      const isWanted = ({ label }: Choice<T>) =>
        answer === 'all' || (Array.isArray(answer) && answer.some((word) => label.startsWith(word)));
      return choices.filter(isWanted).map(({ value }) => value);
    },
    confirm: async () => {
      const answer = answers.shift();
      return typeof answer === 'boolean' ? answer : assert.fail('asked too often');
    },
  };
  return { interactive: true, prompts, offered };
}

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
    const print = (line: string) => void lines.push(line);
    const fixed = { yes: false, interactive: false, prompts: NOBODY, startServers: NOBODY.start, print };
    await init({ cwd, homeDir, platform, env: {}, ...fixed, ...options });
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
      db: { command: 'uvx', args: ['mcp-db'], env: { DB_PASSWORD: '${DB_PASSWORD}' } },
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
      '    ${input:perplexity-key} became ${PERPLEXITY_KEY}: set PERPLEXITY_KEY (Perplexity API Key)',
      'Moved secrets to ~/app/pml.env, which only you can read: DB_PASSWORD',
      'Keep pml.env out of version control.',
      'Not set here, and needed by the servers that name them: PERPLEXITY_KEY, REGION',
    ]) {
      const slashed = ana.lines.map((each) => each.replaceAll('\\', '/'));
      assert.ok(slashed.includes(line), `${line}\n---\n${slashed.join('\n')}`);
    }
    const env = { HOME: ana.homeDir, PERPLEXITY_KEY: 'p', REGION: 'eu' };
    const { servers } = loadConfig({ cwd: ana.cwd, env });
    assert.equal(servers.length, 7);
    const { transport } = servers.find(({ name }) => name === 'db') ?? assert.fail();
    assert.deepEqual(transport.kind === 'stdio' && transport.env, { DB_PASSWORD: 'hunter2222' });
    assert.equal(ana.read('.claude.json'), JSON.stringify(claudeJson(ana.homeDir), null, 2));
  });
}

test('secrets go to a file that its owner alone can read, each under a name of its own', async () => {
  const env = { API_KEY: 'abcdefgh', REGION: 'eu' };
  const ana = user({
    'app/.mcp.json': {
      mcpServers: {
        a: { command: 'x', args: ['--api-key', 'sk-12345678', '--token=tok12345678'], env },
        b: { command: 'x', env: { API_KEY: "it's `other`" } },
        web: { url: 'https://x/mcp', headers: { Authorization: 'Bearer abcdefgh123' } },
        same: { command: 'y', env: { API_KEY: 'abcdefgh' } },
      },
    },
  });
  await ana.run({ yes: true, env: { A_TOKEN: 'something else' } });
  assert.deepEqual(ana.servers(), {
    a: {
      command: 'x',
      args: ['--api-key', '${A_API_KEY}', '--token=${A_TOKEN_2}'],
      env: { API_KEY: '${API_KEY}', REGION: 'eu' },
    },
    b: { command: 'x', env: { API_KEY: '${B_API_KEY}' } },
    web: { url: 'https://x/mcp', headers: { Authorization: '${WEB_AUTHORIZATION}' } },
    same: { command: 'y', env: { API_KEY: '${API_KEY}' } },
  });
  if (process.platform !== 'win32') assert.equal(statSync(path.join(ana.cwd, 'pml.env')).mode & 0o777, 0o600);
  const { servers, secrets } = loadConfig({ cwd: ana.cwd, env: { HOME: ana.homeDir } });
  const [a, b, web] = servers.map(({ transport }) => transport);
  assert.deepEqual(a?.kind === 'stdio' && [a.args, a.env], [
    ['--api-key', 'sk-12345678', '--token=tok12345678'],
    env,
  ]);
  assert.deepEqual(b?.kind === 'stdio' && b.env, { API_KEY: "it's `other`" });
  assert.deepEqual(web?.kind === 'http' && web.headers, { Authorization: 'Bearer abcdefgh123' });
  assert.ok(secrets.includes('abcdefgh'));
});

test('secrets in addresses are moved, wherever the address stands, and the rest of it stays', async () => {
  const zap = 'https://actions.example/api/mcp/s/NGQ2YjU0ZTctZjk4OC00/mcp';
  const remote = 'https://mcp.example/v1/mcp?apiKey=abcdef123456&region=eu#top';
  const ana = user({
    'app/.mcp.json': {
      mcpServers: {
        query: { url: remote },
        login: { url: 'https://ana:s%40cret!@mcp.example:8443/mcp' },
        zap: { url: zap },
        bridge: { command: 'npx', args: ['mcp-remote', remote, 'postgres://ana:hunter22@db/x'] },
        db: { command: 'x', env: { DATABASE_URL: 'postgres://ana:hunter22@db:5432/x?sslmode=require' } },
        plain: { url: 'https://docs.example/mcp?version=2&lang=en' },
      },
    },
  });
  await ana.run({ yes: true });
  assert.deepEqual(ana.servers(), {
    query: { url: 'https://mcp.example/v1/mcp?apiKey=${API_KEY}&region=eu#top' },
    login: { url: 'https://ana:${LOGIN_PASSWORD}@mcp.example:8443/mcp' },
    zap: { url: 'https://actions.example/api/mcp/s/${ZAP_PATH}/mcp' },
    bridge: {
      command: 'npx',
      args: [
        'mcp-remote',
        'https://mcp.example/v1/mcp?apiKey=${API_KEY}&region=eu#top',
        'postgres://ana:${BRIDGE_PASSWORD}@db/x',
      ],
    },
    db: { command: 'x', env: { DATABASE_URL: '${DATABASE_URL}' } },
    plain: { url: 'https://docs.example/mcp?version=2&lang=en' },
  });
  const open = ana.lines.join('\n') + ana.read('app/pml.json');
  for (const secret of ['abcdef123456', 's%40cret!', 'NGQ2YjU0', 'hunter22'])
    assert.ok(!open.includes(secret), secret);
  const { servers } = loadConfig({ cwd: ana.cwd, env: { HOME: ana.homeDir } });
  const urls = servers.flatMap(({ transport }) => ('url' in transport ? [transport.url] : []));
  assert.ok(urls.includes(remote) && urls.includes(zap), urls.join());
});

test('servers that a client has switched off are offered, but not taken', async () => {
  const ana = user({
    'app/.mcp.json': { mcpServers: { off: { command: 'off' }, on: { command: 'on' } } },
    'app/.claude/settings.local.json': '{ "disabledMcpjsonServers": ["off"] } // mine',
    '.cursor/mcp.json': { mcpServers: { idle: { command: 'idle', disabled: true } } },
  });
  ana.write('.claude.json', {
    mcpServers: { muted: { command: 'muted' } },
    projects: { [ana.cwd]: { disabledMcpServers: ['muted'] } },
  });
  await ana.run({ yes: true });
  assert.deepEqual(Object.keys(ana.servers()), ['on']);
  assert.ok(ana.lines.includes('  off: left out: switched off in Claude Code'));
  const ben = user({
    '.cursor/mcp.json': { mcpServers: { a: { command: 'a' }, b: { command: 'b', disabled: true } } },
  });
  const asked = person('all', [], [], false);
  await ben.run(asked);
  assert.deepEqual(asked.offered[0], { Cursor: ['*a', 'b'] });
  assert.deepEqual(ben.servers(), { a: { command: 'a' }, b: { command: 'b' } });
});

test('--global writes to PML_HOME, and takes nothing of the project', async () => {
  const ana = user({
    'app/.mcp.json': { mcpServers: { local: { command: 'local' } } },
    '.cursor/mcp.json': { mcpServers: { b: { command: 'b', env: { API_KEY: 'abcdefgh' } } } },
  });
  await ana.run({ yes: true, isGlobal: true });
  assert.deepEqual(JSON.parse(ana.read('.pml/pml.json')).mcpServers, {
    b: { command: 'b', env: { API_KEY: '${API_KEY}' } },
  });
  assert.equal(ana.read('.pml/pml.env'), "API_KEY='abcdefgh'\n");
  assert.throws(() => ana.servers(), { code: 'ENOENT' });
});

test('clients are connected and PML is started only with consent, and that can be undone', async () => {
  const cursor = '{\r\n  // mine\r\n  "mcpServers": { "a": { "command": "a" } }\r\n}\r\n';
  const code = { servers: { c: { command: 'c' } } };
  const ana = user({ '.cursor/mcp.json': cursor, '.config/Code/User/mcp.json': code });
  await ana.run(person('as offered', [], [], false));
  assert.equal(ana.read('.cursor/mcp.json'), cursor);
  const started: StartedServer[] = [
    { name: 'a', state: 'ready', tools: ['one', 'two'] },
    { name: 'c', state: 'down', problem: 'could not be started', tools: [] },
  ];
  const configs: string[] = [];
  const startServers = async (config: string) => {
    configs.push(config);
    return started;
  };
  const asked = person('all', true);
  await ana.run({ ...asked, startServers });
  assert.deepEqual(asked.offered, [{ Clients: ['*Cursor', '*VS Code'] }]);
  const entry = JSON.parse(ana.read('.config/Code/User/mcp.json')).servers.pml;
  assert.deepEqual(
    [entry.type, entry.args.slice(-3)],
    ['stdio', ['serve', '--config', path.join(ana.cwd, 'pml.json')]],
  );
  assert.match(ana.read('.cursor/mcp.json'), /\/\/ mine\r\n[\s\S]*"a": [\s\S]*\r\n {4}"pml": \{\r\n/);
  assert.deepEqual(configs, [path.join(ana.cwd, 'pml.json')]);
  for (const line of ['  a: 2 tools: one, two', '  c: it could not be started'])
    assert.ok(ana.lines.includes(line), ana.lines.join('\n'));
  assert.match(ana.lines.at(-1) ?? '', /^Ask your agent first: /);
  undoConnections({ cwd: ana.cwd, homeDir: ana.homeDir, platform: 'linux', env: {} }, () => {});
  assert.equal(ana.read('.cursor/mcp.json'), cursor);
  assert.deepEqual(JSON.parse(ana.read('.config/Code/User/mcp.json')), code);
});

test('a client that cannot be disconnected stays listed; the others are not disconnected twice', () => {
  const ana = user({});
  const host = { cwd: ana.cwd, homeDir: ana.homeDir, platform: 'linux' as const, env: {} };
  const file = path.join(ana.homeDir, '.cursor', 'mcp.json');
  const refusing = { run: ['true'], undo: ['false'] };
  keepConnections(path.join(ana.homeDir, '.pml'), [
    { client: 'Claude Code', act: refusing },
    { client: 'Cursor', act: { file, key: 'mcpServers' } },
  ] as never);
  for (const told of [2, 1]) {
    const lines: string[] = [];
    assert.throws(() => undoConnections(host, (line) => lines.push(line)), /Not every client/);
    assert.equal(lines.length, told, lines.join('\n'));
    assert.match(lines[0] ?? '', /^Claude Code is still connected/);
  }
});

test('clients that keep servers in a form of their own are read, connected and disconnected in it', async () => {
  const zed = `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "docs": { "url": "https://docs.example/mcp" },
  },
}
`;
  const cursor = { mcpServers: { notes: { type: 'stdio', command: 'notes', envFile: '.env' } } };
  const windsurf = { mcpServers: { web: { serverUrl: 'https://web.example/mcp', disabled: true } } };
  const desktop = { globalShortcut: '', mcpServers: { files: { command: 'files' } } };
  const ana = user({
    '.config/zed/settings.json': zed,
    '.cursor/mcp.json': cursor,
    '.codeium/windsurf/mcp_config.json': windsurf,
    '.config/Claude/claude_desktop_config.json': desktop,
  });
  await ana.run({ yes: true, connect: true });
  assert.deepEqual(ana.servers(), {
    files: { command: 'files' },
    notes: { command: 'notes', envFile: '.env' },
    docs: { url: 'https://docs.example/mcp' },
  });
  assert.ok(ana.lines.includes('  web: left out: switched off in Windsurf'), ana.lines.join('\n'));
  const has = (file: string, key: string, marks: object = {}) => {
    const parsed = parseJsonc(ana.read(file)) as { value: Record<string, { pml: Record<string, unknown> }> };
    const { command, args, ...rest } = parsed.value[key]?.pml ?? {};
    assert.deepEqual(
      [typeof command, (args as string[]).slice(-3, -1), rest],
      ['string', ['serve', '--config'], marks],
      file,
    );
  };
  has('.config/zed/settings.json', 'context_servers', { source: 'custom' });
  has('.cursor/mcp.json', 'mcpServers');
  has('.codeium/windsurf/mcp_config.json', 'mcpServers');
  has('.config/Claude/claude_desktop_config.json', 'mcpServers');
  undoConnections({ cwd: ana.cwd, homeDir: ana.homeDir, platform: 'linux', env: {} }, () => {});
  assert.deepEqual(JSON.parse(ana.read('.cursor/mcp.json')), cursor);
  assert.deepEqual(JSON.parse(ana.read('.codeium/windsurf/mcp_config.json')), windsurf);
  assert.match(ana.read('.config/zed/settings.json'), /^\/\/ Zed settings[\s\S]*"docs"/);
  assert.doesNotMatch(ana.read('.config/zed/settings.json'), /"pml"/);
});

test('whoever stops at a question has nothing written', async () => {
  const ana = user({
    '.cursor/mcp.json': { mcpServers: { b: { command: 'b', env: { API_KEY: 'abcdefgh' } } } },
  });
  const stop = async () => {
    throw new PmlError('cancelled', 'Stopped.');
  };
  await assert.rejects(ana.run({ interactive: true, prompts: { pick: stop, confirm: stop } }), {
    code: 'cancelled',
  });
  const { prompts } = person('all');
  let questions = 0;
  const pick: Prompts['pick'] = (...question) => (questions++ === 0 ? prompts.pick(...question) : stop());
  await assert.rejects(ana.run({ interactive: true, prompts: { pick, confirm: stop } }), {
    code: 'cancelled',
  });
  assert.deepEqual(readdirSync(ana.cwd), []);
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

test('init offers all servers at once, grouped by client', async () => {
  const ana = user({
    'app/.mcp.json': { mcpServers: { a: { command: 'a' } } },
    '.cursor/mcp.json': { mcpServers: { b: { command: 'b' }, same: { command: 'a' }, c: { command: 'c' } } },
  });
  const asked = person(['a', 'c'], [], [], false);
  await ana.run(asked);
  assert.deepEqual(asked.offered[0], { 'Claude Code': ['*a'], Cursor: ['*b', '*c'] });
  assert.deepEqual(Object.keys(ana.servers()), ['a', 'c']);
});

test('init offers short names, and with many servers a list that keeps to a budget', async () => {
  const some = { a: { command: 'a' }, b: { command: 'b' } };
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { command: name }]));
  const settings = (ana: ReturnType<typeof user>) => {
    const { names, expose } = JSON.parse(ana.read('app/pml.json'));
    return { names, expose };
  };
  const few = user({ '.cursor/mcp.json': { mcpServers: some } });
  await few.run(person('all', 'all', [], false));
  assert.deepEqual(settings(few), { names: { listed: 'short' }, expose: undefined });
  const large = user({ '.cursor/mcp.json': { mcpServers: many } });
  await large.run(person('all', ['list tools'], [], false));
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

test('without any servers init says what to do instead, and writes nothing', async () => {
  const ana = user({});
  await ana.run();
  assert.match(
    ana.lines.join('\n'),
    /No MCP servers found[\s\S]*pml add filesystem -- npx[\s\S]*Nothing was written/,
  );
  assert.throws(() => ana.servers(), { code: 'ENOENT' });
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
  assert.ok(
    ana.lines.includes('Already in pml.json: a, b') && ana.lines.includes('pml.json stays as it is.'),
  );
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
