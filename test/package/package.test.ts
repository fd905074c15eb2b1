/**
 * PML as users get it: packed, installed without install scripts, started by each Node that may start it, as a user who
 * may not write to the folder of the package. An everyday run takes the Node that is on the PATH; `PML_EFFORT=1`
 * fetches Node 20, 22 and 24.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { times } from '../../src/testing/effort.ts';
import { waitForNoProcesses } from '../../src/testing/wait.ts';
import { filesIn, InstalledPackage, runToEnd } from './installed-package.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** An ordinary user, to whom the folder of the package is read-only. */
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

let installed: InstalledPackage;
before(async () => {
  installed = await InstalledPackage.install();
  chmodSync(installed.root, 0o755);
});
after(() => installed?.remove());

let found: Promise<string[]> | undefined;

/** The Nodes to start PML with, found once. */
function nodes(): Promise<string[]> {
  found ??= findNodes();
  return found;
}

async function findNodes(): Promise<string[]> {
  if (times(10) >= 10)
    return Promise.all(['20.20.2', '22.23.3', '24.21.0'].map((version) => installed.node(version)));
  // npm puts the Node of the checkout first.
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path));
  return [found ?? process.execPath];
}

/** A home, a folder for temporary files and a user's folder, all empty. */
function emptyPlace(name: string) {
  const folder = join(installed.root, name);
  const [home, temporary, user] = ['pml home', 'tmp', 'user'].map((one) => join(folder, one)) as [
    string,
    string,
    string,
  ];
  for (const one of [folder, temporary, user]) {
    mkdirSync(one);
    if (isRoot) chownSync(one, NOBODY, NOBODY);
  }
  const env = {
    PATH: process.env.PATH ?? '',
    PML_HOME: home,
    HOME: user,
    TMPDIR: temporary,
    PML_IDLE_SECONDS: '30',
  };
  return { home, temporary, user, env };
}

async function run(client: Client): Promise<unknown> {
  const code =
    'const note = await mcp.notes.read_note({ title: "shopping" }); return note.split(",").length;';
  const { structuredContent } = await client.callTool({
    name: 'pml_execute',
    arguments: { intent: 'count the things on a list', code },
  });
  return (structuredContent as { result?: unknown }).result;
}

/** Starts `pml up`, and returns its address. */
function up(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, [...args, 'up', '--port', '0', '--config', 'pml.json'], {
    cwd: installed.folder,
    env,
    ...asUser,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /MCP gateway\s+(\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    child.once('close', () => reject(new Error(`pml up ended: ${said}`)));
  });
  const stop = () => {
    child.kill('SIGINT');
    return ended;
  };
  return { url, stop };
}

test('the package holds what it needs and nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(installed.package, 'package.json'), 'utf8'));
  assert.equal(manifest.private, undefined);
  const files = filesIn(installed.package);
  const folders = new Set(files.map((file) => file.split('/')[0]));
  assert.deepEqual([...folders].sort(), [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'build', 'dist', 'package.json', 'schema'],
  ]);
  assert.deepEqual(
    files.filter((file) => /\.test\.|\.ts$/.test(file)),
    ['dist/index.d.ts'],
  );
  assert.ok(files.some((file) => /^build\/pglite-.*\.zst$/.test(file)));
  assert.ok(files.includes('dist/index.js.map') && files.includes('dist/web/index.html'));
  const licenses = readFileSync(join(installed.package, 'dist', 'third-party-licenses.txt'), 'utf8');
  for (const name of [
    'zod',
    'isolated-vm',
    'libpg-query',
    'preact',
    'uplot',
    '@codemirror/view',
    '@dagrejs/dagre',
  ])
    assert.match(licenses, new RegExp(`^=== ${name} \\d.* \\(.+\\)\n\n.*`, 'm'), name);
  // A path of the machine that packed it would be of no use to anyone, and nobody's business.
  for (const file of files.filter((one) => /\.(?:js|json|ts|map)$/.test(one)))
    assert.ok(!readFileSync(join(installed.package, file), 'utf8').includes(ROOT), file);
  const packages = readdirSync(join(installed.folder, 'node_modules'), { recursive: true }).filter((name) =>
    /^(?:@[^/]+\/)?[^/]+\/package\.json$/.test(String(name)),
  );
  const scripts = packages.flatMap((name) => {
    const { scripts = {} } = JSON.parse(
      readFileSync(join(installed.folder, 'node_modules', String(name)), 'utf8'),
    );
    return ['preinstall', 'install', 'postinstall']
      .filter((one) => one in scripts)
      .map((one) => `${name}: ${one}`);
  });
  assert.ok(packages.length > 5 && packages.length < 12, packages.join());
  assert.deepEqual(scripts, []);
});

test('every Node that may start PML serves clients over HTTP and stdio, and writes to its home alone', async (t) => {
  const before = filesIn(installed.folder).length;
  for (const [index, node] of (await nodes()).entries()) {
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
    const { home, temporary, user, env } = emptyPlace(`place ${index}`);
    const began = performance.now();
    const server = up(node, [installed.program], env);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(await server.url)));
    assert.equal(await run(client), 3, version);
    t.diagnostic(
      `${version}: first answer of a new home after ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
    await client.close();
    await server.stop();

    const second = new Client({ name: 'test', version: '1' });
    // The transport starts the process as the user who runs the tests, who may read what the other user keeps.
    const serve = [installed.program, 'serve', '--config', 'pml.json'];
    const own = isRoot ? { ...env, PML_HOME: join(installed.root, `home of root ${index}`) } : env;
    await second.connect(
      new StdioClientTransport({
        command: node,
        args: serve,
        cwd: installed.folder,
        env: own,
        stderr: 'ignore',
      }),
    );
    assert.equal(await run(second), 3, version);
    await second.close();
    const { code, output } = await runToEnd(node, [installed.program, 'down'], {
      cwd: installed.folder,
      env: own,
    });
    assert.equal(code, 0, output);

    assert.ok(statSync(home).isDirectory());
    assert.deepEqual([...filesIn(temporary), ...filesIn(user)], [], version);
    await waitForNoProcesses(user);
  }
  assert.equal(filesIn(installed.folder).length, before);
});

test('npx finds the program', async () => {
  const { env } = emptyPlace('place of npx');
  const [node] = (await nodes()) as [string];
  const args = [process.env.npm_execpath ?? '', 'exec', '--no', '--', 'pml', 'status'];
  const { code, output } = await runToEnd(node, args, { cwd: installed.folder, env, ...asUser });
  assert.match(output, /PML is not running/);
  assert.equal(code, 0);
});

function majorOf(node: string): number {
  return Number(/v(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout)?.[1]);
}

test('without its Node 24, an older Node says in one line what is missing', async (t) => {
  const [node] = (await nodes()) as [string];
  if (majorOf(node) >= 24) return t.skip('every Node here is 24 or newer');
  const elsewhere = join(installed.root, 'without node');
  mkdirSync(elsewhere);
  spawnSync('cp', ['-r', installed.package, elsewhere]);
  const { code, output } = await runToEnd(node, [join(elsewhere, 'pml-gateway', 'bin', 'pml.js'), 'status'], {
    cwd: elsewhere,
  });
  assert.equal(code, 1);
  assert.match(output, /^pml: PML runs on Node 24 and 26 \(this is .*install PML again[^\n]*\n$/);
});

test('an older Node that imports the package says which one it needs', async (t) => {
  const [node] = (await nodes()) as [string];
  const probe = `import('pml-gateway').then((all) => console.log(Object.keys(all).sort().join()), ({ message }) => console.log(message))`;
  const tryWith = (program: string) => runToEnd(program, ['-e', probe], { cwd: installed.folder });
  const required = await runToEnd(
    process.execPath,
    ['-e', `console.log(Object.keys(require('pml-gateway')).sort().join())`],
    { cwd: installed.folder },
  );
  assert.match(required.output, /startGateway/);
  assert.equal((await tryWith(process.execPath)).output, required.output, 'both ways give the same');
  if (majorOf(node) >= 24) return t.skip('every Node here is 24 or newer');
  assert.match((await tryWith(node)).output, /^PML within a program needs Node 24 or 26 \(this is 2\d\./);
});

test('the examples run, and the documentation shows the first of them', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'api.md'), 'utf8');
  const example = readFileSync(join(ROOT, 'examples', 'api', 'gateway.ts'), 'utf8');
  assert.ok(page.includes(`\n\`\`\`ts\n${example}\`\`\`\n`), 'docs/api.md shows examples/api/gateway.ts');
  const outputs = [
    [
      'gateway.ts',
      /ran code: 3 - remembered as notes:count\ncalled it: 2\nits parameters: title\nfound by intent: notes:count/,
    ],
    ['agent.ts', /^It may use: clock$/m],
  ] as const;
  for (const [file, expected] of outputs) {
    const { code, output } = await runToEnd(process.execPath, [file], { cwd: installed.folder });
    assert.match(output, expected);
    assert.equal(code, 0, output);
  }
  const env = { ...process.env, PML_HOME: join(installed.folder, '.pml-example') };
  assert.equal((await runToEnd(process.execPath, [installed.program, 'down'], { cwd: ROOT, env })).code, 0);
});

test('the examples fit the declarations of the package, which need no other package', async () => {
  const flags = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
  const types = ['--typeRoots', join(ROOT, 'node_modules', '@types')];
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, ...flags, ...types, '--ignoreConfig', 'gateway.ts', 'agent.ts'];
  const { code, output } = await runToEnd(process.execPath, args, { cwd: installed.folder });
  assert.equal(output, '');
  assert.equal(code, 0);
});

test('the RUN lines of the Dockerfile make a PML that serves', async (t) => {
  if (Number(process.versions.node.split('.')[0]) !== 24) return t.skip('the image has Node 24');
  const lines = readFileSync(join(ROOT, 'distribution', 'Dockerfile'), 'utf8').split('\n');
  const runLines = lines.flatMap((line) => /^RUN (.*)/.exec(line)?.[1] ?? []);
  const [, entry = ''] = /^ENTRYPOINT (.*)/m.exec(lines.join('\n')) ?? [];
  const { env, user } = emptyPlace('place of docker');
  const app = join(user, 'app');
  mkdirSync(app);
  const tarball = join(app, 'pml-gateway.tgz');
  copyFileSync(installed.tarball, tarball);
  // npm's own settings and cache stay those of the user who runs the tests: fetching all anew takes too long.
  const settings = {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    npm_config_prefer_offline: 'true',
  };
  for (const line of runLines) {
    const { code, output } = await runToEnd('sh', ['-euc', line], { cwd: app, env: { ...env, ...settings } });
    assert.equal(code, 0, output);
  }
  assert.ok(!existsSync(tarball));
  const [, ...args] = JSON.parse(entry) as string[];
  const place = { cwd: app, env: { ...env, PML_HOME: join(user, '.pml') } };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...args, 'serve'],
      ...place,
      stderr: 'ignore',
    }),
  );
  const { structuredContent } = await client.callTool({
    name: 'pml_execute',
    arguments: { intent: 'try', code: 'return 6 * 7' },
  });
  assert.equal((structuredContent as { result?: unknown }).result, 42);
  await client.close();
  assert.equal((await runToEnd(process.execPath, [...args, 'down'], place)).code, 0);
});
