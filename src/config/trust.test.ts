// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { loadConfig, openTrustStore, readEffects, trustFile } from './index.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'pml-trust-'));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

/** Makes a user with a home, and a repository with this config. */
function setUp(config: object = CONFIG) {
  const base = path.join(root, String(count++));
  const [home, cwd] = [path.join(base, 'home'), path.join(base, 'repository')];
  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
  const file = path.join(cwd, 'pml.json');
  const write = (changed: object, text = JSON.stringify(changed)) => writeFileSync(file, text);
  write(config);
  const env = { HOME: base, PML_HOME: home, PML_USER: 'ana', KEY: 'k', OTHER: 'o' };
  const load = (from = cwd) => loadConfig({ cwd: from, env });
  return { base, home, cwd, file, write, env, load };
}

const CONFIG = {
  mcpServers: {
    fs: { command: 'npx', args: ['-y', 'server', '.'], env: { TOKEN: '${KEY}' }, cwd: 'sub' },
    far: {
      url: 'https://far.example/mcp',
      headers: { Authorization: 'Bearer ${KEY}' },
      pml: { tools: ['a'] },
    },
    off: { command: 'evil', disabled: true },
  },
  sandbox: { timeoutMs: 1000 },
};
type Servers = typeof CONFIG.mcpServers;

const withServers = (change: (servers: Servers) => object) => ({
  ...CONFIG,
  mcpServers: change(structuredClone(CONFIG.mcpServers)),
});

const ASKS: Record<string, object> = {
  command: withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, command: 'node' } })),
  argument: withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, args: ['-y', 'server', '/'] } })),
  'order of arguments': withServers(({ fs, ...rest }) => ({
    ...rest,
    fs: { ...fs, args: ['server', '-y', '.'] },
  })),
  variable: withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, env: { TOKEN: '${OTHER}' } } })),
  'name of a variable': withServers(({ fs, ...rest }) => ({
    ...rest,
    fs: { ...fs, env: { NODE_OPTIONS: '${KEY}' } },
  })),
  folder: withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, cwd: '.' } })),
  envFile: withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, envFile: '.env' } })),
  url: withServers(({ far, ...rest }) => ({ ...rest, far: { ...far, url: 'https://other.example/mcp' } })),
  header: withServers(({ far, ...rest }) => ({ ...rest, far: { ...far, headers: { A: 'Bearer ${KEY}' } } })),
  'way of talking': withServers(({ far, ...rest }) => ({ ...rest, far: { ...far, type: 'sse' } })),
  'allowed tools': withServers(({ far, ...rest }) => ({
    ...rest,
    far: { ...far, pml: { tools: ['a', 'b'] } },
  })),
  routing: withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, pml: { routing: 'cloud' } } })),
  'name of a server': withServers(({ fs, ...rest }) => ({ ...rest, shell: fs })),
  'new server': withServers((servers) => ({ ...servers, more: { command: 'x' } })),
  'disabled server that is enabled': withServers(({ off, ...rest }) => ({
    ...rest,
    off: { command: off.command },
  })),
  admins: { ...CONFIG, scope: { admins: ['ana'] } },
  scope: { ...CONFIG, scope: { project: 'other' } },
  agents: { ...CONFIG, agents: { bot: {} } },
  'model that refines names': { ...CONFIG, curation: { model: 'other' } },
  'embedding endpoint': { ...CONFIG, discovery: { embeddings: { url: 'http://x.example/v1', model: 'm' } } },
};

const ASKS_NOTHING: Record<string, object> = {
  limit: { ...CONFIG, sandbox: { timeoutMs: 2000, concurrency: 2 } },
  list: { ...CONFIG, expose: 'auto', exposeBudget: 5000, names: { listed: 'short' } },
  'embeddings on this machine': { ...CONFIG, discovery: { embeddings: 'none' } },
  'prices of models': { ...CONFIG, modelPrices: { haiku: { input: 1, output: 5 } } },
  lifecycle: { ...CONFIG, lifecycle: { unusedDays: 0 }, names: { reserveDays: 1 } },
  schema: { ...CONFIG, $schema: './pml.schema.json' },
  'order of keys': withServers(({ fs, far, off }) => ({
    off,
    far,
    fs: Object.fromEntries(Object.entries(fs).reverse()),
  })),
  timeout: withServers(({ far, ...rest }) => ({
    ...rest,
    far: { ...far, pml: { tools: ['a'], timeoutMs: 9 } },
  })),
  'key of another client': withServers(({ fs, ...rest }) => ({ ...rest, fs: { ...fs, autoApprove: ['x'] } })),
  'disabled server': withServers(({ off, ...rest }) => ({ ...rest, off: { ...off, command: 'other' } })),
};

for (const [what, changed] of Object.entries(ASKS)) {
  test(`PML asks again after a change of the ${what}`, () => {
    const { home, file, write, load } = setUp();
    trustFile(home, file);
    assert.deepEqual([load().servers.length, load().untrusted], [2, undefined]);
    write(changed);
    const { servers, untrusted, admin, agents } = load();
    assert.deepEqual([servers, untrusted?.changed, admin, agents], [[], true, false, {}]);
  });
}

for (const [what, changed] of Object.entries(ASKS_NOTHING)) {
  test(`PML does not ask again after a change of the ${what}`, () => {
    const { home, file, write, load } = setUp();
    trustFile(home, file);
    write(changed);
    assert.deepEqual([load().servers.length, load().untrusted], [2, undefined]);
  });
}

test('the routing in mcp-permissions.yaml is part of what is trusted', () => {
  const { home, cwd, file, load } = setUp();
  trustFile(home, file);
  const yaml = path.join(cwd, 'mcp-permissions.yaml');
  writeFileSync(yaml, 'fs: { routing: cloud }\n');
  assert.equal(load().untrusted?.changed, true);
  trustFile(home, file);
  assert.equal(load().servers[0]?.routing, 'cloud');
  writeFileSync(
    yaml,
    '# another tool keeps this\nfs: { routing: cloud, approved: 2 }\nunheard: { routing: local }\n',
  );
  assert.equal(load().untrusted, undefined);
});

test('a file that is named, or in the home, or that runs and sends nothing, needs no trust', () => {
  const { home, cwd, file, env, load, write } = setUp();
  assert.equal(load().untrusted?.changed, false);
  assert.equal(loadConfig({ cwd, env, flags: { config: 'pml.json' } }).servers.length, 2);
  assert.equal(loadConfig({ cwd, env: { ...env, PML_CONFIG: file } }).servers.length, 2);
  writeFileSync(path.join(home, 'pml.json'), JSON.stringify(CONFIG));
  assert.equal(load(home).servers.length, 2);
  assert.equal(loadConfig({ cwd: root, env }).servers.length, 2);
  write({ sandbox: { timeoutMs: 5 }, scope: { project: 'mine' } });
  assert.deepEqual([load().untrusted, load().scope.project], [undefined, 'mine']);
});

test('PML runs what it has checked, even if the file changes at that moment', () => {
  const { cwd, file, env, write } = setUp();
  const { fingerprint } = readEffects(file);
  const evil = { mcpServers: { fs: { command: 'evil' } } };
  const trust = {
    fingerprintOf: () => {
      write(evil);
      return fingerprint;
    },
  };
  const [first] = loadConfig({ cwd, env, trust }).servers;
  assert.equal(first?.transport.kind === 'stdio' && first.transport.command, 'npx');
});

test('trust belongs to the folder where the servers run: no link carries it elsewhere', () => {
  const { base, home, cwd, file, load } = setUp();
  trustFile(home, file);
  const linkedFolder = path.join(base, 'by-link');
  symlinkSync(cwd, linkedFolder);
  const [first] = load(linkedFolder).servers;
  assert.equal(first?.transport.kind === 'stdio' && first.transport.cwd, path.join(cwd, 'sub'));
  const other = path.join(base, 'other');
  mkdirSync(other);
  symlinkSync(file, path.join(other, 'pml.json'));
  assert.equal(load(other).untrusted?.changed, false);
});

test('the shown lines of a file can neither hide nor move text', () => {
  const { file, write } = setUp();
  write({ mcpServers: { a: { command: 'x\u001b[2K\r', args: ['\u202egnp', ' '.repeat(5000), 'rm'] } } });
  const [line = ''] = readEffects(file).lines;
  assert.match(line, /^a: runs x\\u\{1b\}\[2K\\u\{d\} \\u\{202e\}gnp/);
  assert.match(line, /… and \d+ characters more$/);
});

test('files that earlier versions used are trusted at the first start, at that content, and only then', () => {
  const { base, home, file, load, write } = setUp();
  const [later, gone] = [path.join(base, 'later/pml.json'), path.join(base, 'gone/pml.json')];
  mkdirSync(path.dirname(later));
  writeFileSync(later, JSON.stringify(CONFIG));
  mkdirSync(path.join(home, 'log'));
  const line = (text: string) => `2026-01-01T00:00:00.000Z INFO  ${text}\n`;
  const used = [file, gone, 'no config file'].map((one) =>
    line(`opening workspace of ${one} with 2 servers`),
  );
  const newer = line(`workspace of ${later}: 2 servers`);
  const quoted = line(`[fs] opening workspace of ${later} with 2 servers`);
  writeFileSync(path.join(home, 'log/pml.log'), used.join('') + newer + quoted);
  assert.equal(load().untrusted, undefined);
  assert.equal(load(path.dirname(later)).untrusted?.changed, false);
  write(ASKS.command as object);
  assert.equal(load().untrusted?.changed, true);
  assert.deepEqual(readdirSync(home).sort(), ['log', 'trusted-configs']);
});

test('a lookup creates no home, and a broken entry trusts nothing', () => {
  const { home, file, load } = setUp();
  rmSync(home, { recursive: true });
  assert.equal(load().untrusted?.changed, false);
  assert.ok(!existsSync(home));
  trustFile(home, file);
  const folder = path.join(home, 'trusted-configs');
  const [entry = ''] = readdirSync(folder);
  writeFileSync(path.join(folder, entry), '{');
  assert.equal(openTrustStore(home).fingerprintOf(file), undefined);
  assert.equal(load().untrusted?.changed, false);
});

test('an oversized config is refused before it is parsed', () => {
  const { load, write } = setUp();
  write({}, ' '.repeat(1024 * 1024 + 1));
  assert.throws(() => load(), /longer than 1048576 bytes/);
});

test('a file that names a model of its own sends code to it, and needs trust; the usual models do not', () => {
  for (const model of ['haiku', 'sonnet', 'none'])
    assert.equal(setUp({ curation: { model } }).load().untrusted, undefined, model);
  const { load, home, file } = setUp({ curation: { model: 'http://evil.example/v1#m' } });
  assert.deepEqual(load().untrusted?.lines, ['sends code to be named to http://evil.example/v1#m']);
  assert.equal(load().curation.model, 'haiku');
  trustFile(home, file);
  assert.equal(load().curation.model, 'http://evil.example/v1#m');
});

test('a file that lets names be given without asking needs trust', () => {
  const { load, home, file } = setUp({ curation: { auto: true, minConfidence: 0 } });
  assert.deepEqual(load().untrusted?.lines, ['curation: auto, minConfidence']);
  assert.equal(load().curation.auto, false);
  trustFile(home, file);
  assert.equal(load().curation.auto, true);
});

test('a file that names an embedding endpoint sends texts to it, and needs trust', () => {
  for (const embeddings of ['auto', 'none']) {
    const { untrusted, discovery } = setUp({ discovery: { embeddings } }).load();
    assert.deepEqual([untrusted, discovery], [undefined, { embeddings }]);
  }
  const embeddings = { url: 'http://evil.example/v1', model: 'm', apiKey: '${UNSET_KEY:-abcdef}' };
  const { load, home, file } = setUp({ discovery: { embeddings } });
  assert.deepEqual(load().untrusted?.lines, [
    'sends what tools, capabilities and intents say to http://evil.example/v1; it is given UNSET_KEY of your environment',
  ]);
  assert.deepEqual([load().discovery.embeddings, load().secrets], ['auto', []]);
  trustFile(home, file);
  const { discovery, secrets } = load();
  assert.ok(typeof discovery.embeddings === 'object');
  assert.equal(discovery.embeddings.apiKey, secrets[0]);
});

test('a file that gives agents something needs trust, and its lines show the folders and addresses', () => {
  const agents = {
    analyst: { capabilities: { files: { dirs: ['/'], tools: ['read_file'] }, memory: {} } },
    idle: { model: 'haiku' },
    far: { model: 'http://x.example/v1#m' },
  };
  const { load } = setUp({ agents, defaultAgent: 'analyst' });
  const { untrusted, agents: used, defaultAgent } = load();
  assert.deepEqual(untrusted?.lines, [
    'agent analyst: may use files {"dirs":["/"]}, memory',
    'agent idle: may use nothing',
    'agent far: may use nothing; sends its conversations to http://x.example/v1#m',
    'defaultAgent: analyst',
  ]);
  assert.deepEqual([used, defaultAgent], [{}, null]);
});

test('a file that takes the scope or a model from variables needs trust', () => {
  const agents = { far: { model: '${MODEL:-http://x.example/v1#m}' } };
  const { load, home, file } = setUp({ scope: { project: '${HOME_NAME:-ours}' }, agents });
  const { untrusted, scope } = load();
  assert.deepEqual(untrusted?.lines, [
    'takes the scope from HOME_NAME of your environment',
    'agent far: may use nothing; sends its conversations to ${MODEL:-http://x.example/v1#m}',
  ]);
  assert.equal(scope.project, 'default');
  trustFile(home, file);
  assert.equal(load().scope.project, 'ours');
  assert.equal(load().agents.far?.model, 'http://x.example/v1#m');
});
