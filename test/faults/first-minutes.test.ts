/** The first commands of a new user, on machines that are not as they should be. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fixtureServer, Pml, PROGRAM } from '../support/pml.ts';

const pml = new Pml({ after });

/** A user of this home with these files, and a project folder. */
function user(name: string, files: Record<string, string | object>) {
  const home = join(pml.dir, name);
  const cwd = join(home, 'app');
  mkdirSync(cwd, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(home, file, '..'), { recursive: true });
    writeFileSync(join(home, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const env = { HOME: home, PML_HOME: pml.home };
  const run = (args: string[], more: Record<string, string> = {}) =>
    pml.run(args, { cwd, env: { ...env, ...more } });
  return { home, cwd, env, run, read: (file: string) => readFileSync(join(home, file), 'utf8') };
}

test('pml add and pml remove keep comments, move secrets, and say what is wrong', async () => {
  const ana = user('ana', { 'app/pml.json': '{\n  // mine\n  "mcpServers": {\n  }\n}\n' });
  const work = fixtureServer('fixture-work.ts');
  const added = await ana.run(['add', 'work', '--env', 'API_KEY=abcdefgh', '--', work.command, ...work.args]);
  assert.equal(added.code, 0, added.stderr);
  assert.match(ana.read('app/pml.json'), /\/\/ mine[\s\S]*"work": \{[\s\S]*"API_KEY": "\$\{API_KEY\}"/);
  assert.equal(ana.read('app/pml.env'), "API_KEY='abcdefgh'\n");
  assert.equal((await ana.run(['add', 'web', 'https://example.com/mcp'])).code, 0);
  const [again, unknown, typo] = await Promise.all([
    ana.run(['add', 'web', 'https://example.com/mcp']),
    ana.run(['add', 'web']),
    ana.run(['remove', 'wbe']),
  ]);
  assert.match(again.stderr, /has a server "web" already[\s\S]*pml remove web/);
  assert.match(unknown.stderr, /say NAME -- COMMAND…, or NAME URL/);
  assert.match(typo.stderr, /has no server "wbe"\. Did you mean web\?/);
  assert.equal((await ana.run(['remove', 'web'])).code, 0);
  const doctor = JSON.parse((await pml.doctor(['--json'], ana)).stdout);
  const checks = doctor.findings.map(({ check, ok }: { check: string; ok: boolean }) => [check, ok]);
  assert.deepEqual(
    checks.filter(([check]: [string]) => /server|trust/.test(check)),
    [['server work', true]],
  );
});

test('what is not there yet is said in the words of a beginner', async () => {
  const ivo = user('ivo', {});
  assert.match(
    (await ivo.run(['list'])).stdout,
    /^Nothing is remembered yet\. PML remembers code that succeeds/,
  );
  assert.equal((await ivo.run(['list', 'x*'])).stdout, 'No capability matches.\n');
});

test('pml init --yes --start ends with the tools of every server', async () => {
  const work = fixtureServer('fixture-work.ts');
  const broken = { command: 'no-such-program' };
  const ben = user('ben', { '.cursor/mcp.json': { mcpServers: { work, broken } } });
  const { code, stdout, stderr } = await ben.run(['init', '--yes', '--start', '--connect']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /work: \d+ tools: \w+/);
  assert.match(stdout, /broken: it could not be started: command not found: no-such-program/);
  assert.match(stdout, /Connected Cursor\. To undo:/);
  assert.match(stdout, /Ask your agent first/);
  assert.ok(JSON.parse(ben.read('.cursor/mcp.json')).mcpServers.pml);
  const undone = await ben.run(['init', '--undo']);
  assert.equal(undone.stdout, 'Disconnected Cursor.\n');
  assert.equal(JSON.parse(ben.read('.cursor/mcp.json')).mcpServers.pml, undefined);
});

test('a server behind a shell that prints a banner works', async () => {
  const { command, args } = fixtureServer('fixture-work.ts');
  const script = 'echo "Welcome to the proxy"; exec "$0" "$@"';
  const gus = user('gus', {
    'app/pml.json': { mcpServers: { work: { command: 'sh', args: ['-c', script, command, ...args] } } },
  });
  assert.equal((await gus.run(['trust'])).code, 0);
  const { code, stdout, stderr } = await gus.run(['run', 'work:query', '--sql', 'select 1', '--json']);
  assert.equal(code, 0, stderr);
  assert.ok(JSON.parse(stdout).content);
});

test('without HOME and without PATH the commands still work', async () => {
  const cleo = user('cleo', { 'app/config.json': { mcpServers: { a: { command: 'a' } } } });
  const bare = spawn(process.execPath, [PROGRAM, 'init', '--yes', '--from', 'config.json'], {
    cwd: cleo.cwd,
    env: { PML_HOME: pml.home },
  });
  const [code] = await once(bare, 'close');
  assert.equal(code, 0);
  assert.ok(existsSync(join(cleo.cwd, 'pml.json')));
  const { command, args } = fixtureServer('fixture-work.ts');
  const config = { mcpServers: { work: { command, args }, lost: { command: 'no-such-program' } } };
  writeFileSync(join(cleo.cwd, 'pml.json'), JSON.stringify(config));
  const env = { PML_HOME: pml.home, PATH: '', HOME: '' };
  assert.equal((await pml.run(['trust'], { cwd: cleo.cwd, env })).code, 0);
  const ran = await pml.run(['run', 'work:query', '--sql', 'select 1'], { cwd: cleo.cwd, env });
  assert.equal(ran.code, 0, ran.stderr);
  const lost = await pml.run(['run', 'lost:anything'], { cwd: cleo.cwd, env });
  assert.match(lost.stderr, /Server "lost" is not available: it .*no-such-program/);
});

test('a folder that cannot be written is named, with what to do, and nothing is left there', async (t) => {
  const dora = user('dora', {
    '.cursor/mcp.json': { mcpServers: { a: { command: 'a', env: { API_KEY: 'abcdefgh' } } } },
  });
  chmodSync(dora.cwd, 0o555);
  t.after(() => chmodSync(dora.cwd, 0o755));
  const canWrite = process.getuid?.() === 0;
  // Root may write everywhere but in a folder of the kernel's.
  const cwd = canWrite ? '/proc/self' : dora.cwd;
  const { code, stderr } = await pml.run(['init', '--yes'], { cwd, env: dora.env });
  assert.equal(code, 1);
  assert.match(stderr, /pml\.env cannot be written \(E[A-Z]+\)/);
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
  if (!canWrite) assert.deepEqual(readdirSync(dora.cwd), []);
});

test('configs that are broken in the ways people break them are named, and the others are read', async () => {
  const eve = user('eve', {
    'app/.mcp.json': '{ "mcpServers": { "a": { "command": "a" } }',
    '.cursor/mcp.json':
      '\uFEFF{\r\n  // windows\r\n  "mcpServers": { "win": { "command": "C:\\\\tools\\\\x.exe", "args": ["C:\\\\data"] } },\r\n}\r\n',
    '.config/Code/User/mcp.json': "{ 'servers': {} }",
    '.config/Claude/claude_desktop_config.json': { mcpServers: ['not', 'a', 'map'] },
    '.claude.json': '',
  });
  const { code, stdout, stderr } = await eve.run(['init', '--yes']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\.mcp\.json\): skipped: line 1, column \d+: expected/);
  assert.match(stdout, /Code\/User\/mcp\.json\): skipped: line 1, column 3/);
  assert.deepEqual(JSON.parse(eve.read('app/pml.json')).mcpServers, {
    win: { command: 'C:\\tools\\x.exe', args: ['C:\\data'] },
  });
});
