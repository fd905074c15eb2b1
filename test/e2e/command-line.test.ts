/** Commands that people type: calls with flags, completion, logs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { VERSION } from '../../src/version.ts';
import { fixtureServer, Pml, PROGRAM } from '../support/pml.ts';

const pml = new Pml({ after }, { mcpServers: { work: fixtureServer('fixture-work.ts') } });
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await pml.run(args);
  assert.equal(code, 0, stderr);
  return stdout;
};
const fails = async (...args: string[]) => {
  const { code, stdout, stderr } = await pml.run(args);
  assert.notEqual(code, 0, stdout);
  return stderr;
};

before(async () => {
  const input = 'const all: string = args.text; return all.toUpperCase()';
  const args = ['exec', '--intent', 'shout', '--name', 'text:shout', '--args', '{"text": "hi"}', '-'];
  const { code, stdout, stderr } = await pml.run(args, { input });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'HI\n');
  assert.equal(stderr, 'pml: remembered as text:shout. Call it with: pml run text:shout --text hi\n');
});

test('pml run calls a capability with flags', async () => {
  assert.equal(await run('run', 'text:shout', '--text', 'a b'), 'A B\n');
  assert.equal(
    await run('run', 'text:shout', '--text=-x', '--json').then((all) => JSON.parse(all).result),
    '-X',
  );
  assert.match(await run('run', 'text:shout', '--help'), /^Usage: pml run text:shout --text TEXT/);
  assert.match(
    await fails('run', 'text:shout', '--txet', 'a'),
    /no parameter "txet"\. Did you mean --text\?/,
  );
  assert.match(
    await fails('run', 'text:shuot'),
    /Capability not found: text:shuot\n +Did you mean "text:shout"/,
  );
});

test('pml run calls a tool of a server, too', async () => {
  const usage = await run('run', 'work:query', '--help');
  assert.equal(usage, 'Usage: pml run work:query [--sql TEXT]\n');
  const { content } = JSON.parse(await run('run', 'work:query', '--sql', 'select 1', '--json'));
  assert.equal(await run('run', 'mcp__work__query', '--sql', 'select 1'), `${content[0].text}\n`);
  assert.match(await fails('run', 'work:qeury'), /Did you mean "work:query"/);
});

test('completion offers commands, options, names and parameters', async () => {
  const offered = async (...words: string[]) =>
    (await run('completion', 'words', '--', ...words)).split('\n').map((line) => line.split('\t')[0]);
  assert.deepEqual(await offered('hi'), ['history', '']);
  assert.deepEqual(await offered('list', '--reti'), ['--retired', '']);
  assert.deepEqual(await offered('run', 'text:s'), ['text:shout', '']);
  assert.ok((await offered('run', 'work:')).includes('work:query'));
  assert.deepEqual(await offered('whois', 'work:'), [''], 'tools have no record');
  assert.deepEqual(await offered('run', 'text:shout', '--te'), ['--text', '']);
  assert.deepEqual(await offered('logs', 'wo'), ['work', '']);
  for (const shell of ['bash', 'zsh', 'fish'])
    assert.match(await run('completion', shell), /completion words/);
});

test('bash completes a name with a colon by the script', async (t) => {
  if (!existsSync('/bin/bash')) return t.skip('no bash here');
  const script = await run('completion', 'bash');
  const line = 'pml run text:sh';
  const program = `pml() { "${process.execPath}" "${PROGRAM}" "$@"; }
${script}
COMP_LINE="${line}" COMP_POINT=${line.length}; _pml; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const child = spawn('/bin/bash', ['-c', program], { cwd: pml.dir, env: pml.env });
  const [said] = await once(createInterface({ input: child.stdout }), 'line');
  assert.equal(said, 'shout');
});

test('pml logs shows all, one server, and what comes', async () => {
  await pml.logged(/\[work\] connected/);
  assert.match(await run('logs'), /PML \S+ started on/);
  const own = (await run('logs', 'work')).trimEnd().split('\n');
  assert.ok(
    own.every((line) => line.includes('[work]')),
    own.join('\n'),
  );
  assert.match(await fails('logs', 'wrok'), /has no lines of a server "wrok"\. Did you mean work\?/);
  const log = join(pml.home, 'log', 'pml.log');
  appendFileSync(log, 'x WARN  [WARN] Deprecated: Using alias "a" for capability "b". Update your code.\n');
  assert.match(await fails('logs', 'nope'), /Servers in the log: work\n/);
  assert.equal((await run('logs', 'work', '-n', '1')).trimEnd(), own.at(-1));
  const child = spawn(process.execPath, [PROGRAM, 'logs', 'work', '-f', '--lines', '1'], {
    cwd: pml.dir,
    env: pml.env,
  });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  appendFileSync(log, 'x INFO  [other] not this\nx INFO  [work] but this\n');
  const [came] = await once(lines, 'line');
  assert.equal(came, 'x INFO  [work] but this');
  child.kill('SIGINT');
  assert.equal((await once(child, 'close'))[0], 0);
});

test('a command ends quietly when its reader has gone', async () => {
  for (const args of [['doctor'], ['list', '--json'], ['--help'], ['logs', '-f']]) {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: pml.dir, env: pml.env });
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    assert.deepEqual([args, code, said], [args, 141, '']);
  }
});

test('pml exec names a file that is not there before an option that is missing', async () => {
  assert.match(await fails('exec', 'nofile.ts'), /nofile\.ts cannot be read/);
  assert.match(await fails('exec', join(pml.dir, 'pml.json')), /exec needs --intent/);
});

test('pml version prints the version', async () => {
  assert.equal(await run('version'), `${VERSION}\n`);
  assert.equal(JSON.parse(await run('version', '--json')).version, VERSION);
});

test('NO_COLOR and a narrow terminal are heeded', async () => {
  const { stdout } = await pml.run(['list'], { env: { FORCE_COLOR: '1', COLUMNS: '60' } });
  assert.ok(stdout.includes('\u001b['), 'FORCE_COLOR colours');
  const plain = await pml.run(['list'], { env: { NO_COLOR: '1', COLUMNS: '60' } });
  assert.ok(!plain.stdout.includes('\u001b['));
  for (const line of plain.stdout.split('\n')) assert.ok(line.length <= 60, line);
});
