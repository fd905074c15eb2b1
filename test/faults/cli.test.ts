/** The output and exit codes of commands, for people and for scripts. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually, within } from '../../src/testing/wait.ts';
import { VERSION } from '../../src/version.ts';
import { serverOf } from '../support/daemon.ts';
import { type Finished, fixtureServer, Pml, PROGRAM } from '../support/pml.ts';
import { copyOfPml } from '../support/pml-copy.ts';
import { RawSession, textOf } from '../support/raw-session.ts';

const server = fixtureServer('hostile-stdio.ts');
const ESCAPE = String.fromCharCode(27);

describe('beside a daemon', () => {
  const pml = new Pml({ after }, { mcpServers: { good: server, broken: { command: 'no-such-program' } } });
  before(async () => {
    const session = await new RawSession(pml).initialize();
    // The call waits for the server, as no list does.
    await session.call('good:echo', { text: 'here' });
    await session.request('tools/list');
    await eventually(async () => (await serverOf(pml, 'broken')).problem, 'the other server has failed');
  });

  test('pml status --json has the shape that scripts rely on', async () => {
    const { code, stdout } = await pml.run(['status', '--json']);
    assert.equal(code, 0);
    const { pid, startedAt, workspaces, ...rest } = JSON.parse(stdout);
    assert.equal(typeof pid, 'number');
    assert.equal(new Date(startedAt).toISOString(), startedAt);
    assert.deepEqual(rest, {
      running: true,
      version: VERSION,
      home: pml.home,
      engine: 'pglite',
      sessions: 1,
      http: [],
    });
    const [{ servers, ...workspace }] = workspaces;
    assert.deepEqual(workspace, { config: join(pml.dir, 'pml.json'), scope: 'local.default', sessions: 1 });
    const [good, broken] = servers;
    assert.deepEqual(Object.keys(good).sort(), ['era', 'name', 'pid', 'state', 'tools']);
    assert.deepEqual([good.name, good.state, good.era], ['good', 'ready', 'legacy']);
    assert.deepEqual([broken.name, broken.tools], ['broken', 0]);
    assert.match(broken.problem, /command not found: no-such-program/);
  });

  test('pml status in a pipe is plain, and says what is wrong with a server', async () => {
    const { code, stdout, stderr } = await pml.run(['status']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.ok(!stdout.includes(ESCAPE), 'no colour codes');
    assert.match(stdout, /good +ready +\d+ tools/);
    assert.match(stdout, /broken +\w+ +it could not be started: command not found: no-such-program/);
  });

  test('pml doctor names the broken server, says what to do, and exits with 1', async () => {
    const { code, stdout } = await pml.doctor();
    assert.equal(code, 1);
    assert.ok(!stdout.includes(ESCAPE), 'no colour codes');
    assert.match(stdout, /ok +node/);
    assert.match(stdout, /ok +config +.*pml\.json, 2 servers/);
    assert.match(stdout, /ok +database +pglite, in use by the background process \d+/);
    assert.match(stdout, /ok +server good +\d+ tools/);
    assert.match(stdout, /FAIL server broken +it could not be started: command not found: no-such-program/);
    assert.match(stdout, /→ Try it by hand: no-such-program \(in /);
    assert.doesNotMatch(stdout, /\bera\b/);
  });

  test('pml up twice says that PML runs already, where, and as which process', async () => {
    const { url, stop } = await pml.up();
    const port = new URL(url).port;
    const { pid } = await pml.status();
    const again = await pml.run(['up', '--port', port]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, new RegExp(`^PML already runs in process ${pid}\\.[^]*${url}/mcp`));
    const other = pml.project('other', { mcpServers: {}, expose: 'lean' });
    const refused = await pml.run(['up', '--port', port], { cwd: other });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`in use by PML itself \\(process ${pid}\\), for .*pml\\.json`));
    await stop();
  });
});

describe('with nothing running', () => {
  const pml = new Pml({ after }, { mcpServers: {} });

  test('pml status and pml down say so and exit with 0', async () => {
    const status = await pml.run(['status']);
    assert.deepEqual([status.code, status.stdout], [0, `PML is not running (${pml.home}).\n`]);
    assert.deepEqual(JSON.parse((await pml.run(['status', '--json'])).stdout), { running: false });
    const down = await pml.run(['down']);
    assert.deepEqual([down.code, down.stdout], [0, 'PML is not running.\n']);
    assert.ok(!existsSync(pml.home), 'looking makes no home');
  });

  test('pml import waits for a bundle that comes slowly', async () => {
    // More than a pipe holds, so that it is empty now and then before its end.
    const { code, stderr } = await pml.run(['import', '-'], { input: Buffer.alloc(32 * 1024 * 1024, 0xff) });
    assert.equal(code, 1);
    assert.match(stderr, /- is no bundle: it is not text/);
  });

  test('pml doctor without a config says how to write one, and that is no failure', async () => {
    const cwd = join(pml.dir, '..');
    const { code, stdout } = await pml.run(['doctor', '--json'], { cwd });
    assert.equal(code, 0, stdout);
    const { ok, findings } = JSON.parse(stdout);
    assert.equal(ok, true);
    const config = findings.find(({ check }: { check: string }) => check === 'config');
    assert.deepEqual(config, {
      check: 'config',
      ok: true,
      detail: 'no pml.json found',
      advice: 'Run `pml init` to write one.',
    });
  });

  test('--help teaches, for all and for each command', async () => {
    const all = await pml.run(['--help']);
    assert.equal(all.code, 0);
    for (const command of ['serve', 'up', 'down', 'status', 'init', 'doctor'])
      assert.match(all.stdout, new RegExp(`\\b${command} +\\w+`));
    for (const command of ['serve', 'doctor']) {
      const { code, stdout } = await pml.run([command, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: pml ${command}`));
    }
    assert.equal((await pml.run([])).stdout, all.stdout);
  });

  const MISUSE: [string[], RegExp][] = [
    [['dance'], /There is no command "dance"\.\n +Try pml --help/],
    [['status', '--loud'], /pml status: there is no option --loud\.[\s\S]*Try pml status --help/],
    [['up', '--port'], /--port[\s\S]*Try pml up --help/],
    [['up', '--port', 'many'], /--port must be a whole number from 0 to 65535, not "many"/],
    [['lits'], /Did you mean pml list\?/],
    [['ls'], /Did you mean pml list\?/],
    [['up', '8080'], /unexpected "8080"[\s\S]*Try pml up --help/],
    [['serve', '--loud'], /pml serve has no option --loud\. It takes --agent.*Try pml serve --help/],
    [['serve', '--config'], /--config needs a value/],
  ];
  for (const [args, words] of MISUSE) {
    test(`pml ${args.join(' ')} is wrong use: exit code 2 and the way out`, async () => {
      const { code, stdout, stderr } = await within(pml.run(args), 60_000, 'the end');
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, words);
    });
  }
});

test('pml doctor gives a server 10 s, and its --json has no log lines', async (t) => {
  const silent = {
    command: process.execPath,
    args: ['-e', 'console.error("still" + " loading"); setInterval(() => {}, 1000)'],
  };
  const pml = new Pml(t, { mcpServers: { silent } });
  const { code, stdout } = await pml.run(['doctor', '--json']);
  assert.equal(code, 1);
  const { findings } = JSON.parse(stdout);
  const found = findings.find(({ check }: { check: string }) => check === 'server silent');
  assert.equal(found.detail, 'it did not answer the handshake within 10 s');
  assert.doesNotMatch(stdout, /still loading|INFO/);
});

test('a failure with --json is JSON on stdout, whatever failed', async (t) => {
  const pml = new Pml(t);
  for (const args of [['dance'], ['status', '--loud'], ['up', 'x'], ['list', '--config', 'nowhere.json']]) {
    const { code, stdout, stderr } = await pml.run([...args, '--json']);
    assert.equal(code, args.includes('--config') ? 1 : 2);
    const { status, error } = JSON.parse(stdout);
    assert.deepEqual(
      [status, typeof error.code, typeof error.message, stderr],
      ['error', 'string', 'string', ''],
    );
  }
});

describe('under an old Node', () => {
  const old = oldNode();
  const skip = old ? false : 'no Node older than 24 is in PATH, so bin/pml.js cannot be tried under one';
  const pml = new Pml({ after }, { mcpServers: { good: server } });

  test('pml serve works', { skip }, async () => {
    const session = await new RawSession(pml, { node: old }).initialize();
    assert.equal(textOf(await session.call('good:echo', { text: 'from an old Node' })), 'from an old Node');
  });

  test('pml status runs on a newer one by itself, and passes on its exit code', { skip }, async () => {
    const { code, stdout } = await pml.run(['status', '--json'], { node: old });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).running, true);
    assert.equal((await pml.run(['dance'], { node: old })).code, 2);
  });

  test('without the newer one each command says in one line what to do', { skip }, async () => {
    const program = copyOfPml(join(pml.dir, 'bare'), { dependencies: false });
    const home = join(pml.dir, 'bare-home');
    for (const command of ['status', 'up', 'serve']) {
      const finished = await pml.run([command], { node: old, program, env: { PML_HOME: home } });
      assertOneLine(finished, /^pml: PML runs on Node 24.*\(this is \d+\.[\d.]+\).*is missing/);
    }
  });
});

test('without its dependencies PML says in one line what to do', async (t) => {
  const pml = new Pml(t);
  const program = copyOfPml(join(pml.dir, 'bare'), { dependencies: false });
  mkdirSync(pml.home);
  for (const command of ['list', 'up', 'serve', 'doctor']) {
    assertOneLine(
      await pml.run([command], { program }),
      /^pml: PML's dependencies are missing: run npm ci in .*bare/,
    );
  }
});

function assertOneLine({ code, stdout, stderr }: Finished, words: RegExp): void {
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, words);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
}

/** A Node that is too old to run PML itself, if this machine has one. */
function oldNode(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return folders
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path) && Number(versionOf(path).split('.')[0]) < 24);
}

function versionOf(node: string): string {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1);
  } catch {
    return '99';
  }
}

test('code that comes through a pipe is waited for', async (t) => {
  const pml = new Pml(t);
  const child = spawn(process.execPath, [PROGRAM, 'exec', '--intent', 'try', '-'], {
    cwd: pml.dir,
    env: pml.env,
  });
  // Long enough for the command to have looked into the empty pipe.
  setTimeout(() => child.stdin.end('return 41 + 1'), 1500);
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
});
