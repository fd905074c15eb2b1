/** PML on a real terminal: `pml init` that is stopped, one without a size, and completion by the shells. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { screenText } from '../../scripts/terminal-screen.ts';
import { Pml, PROGRAM } from '../support/pml.ts';
import { hasTerminal, inTerminal, type Step } from '../support/pseudo-terminal.ts';

const CTRL_C = '\x03';
const ENTER = '\r';
const SERVERS = {
  memory: { command: 'mcp-memory', args: ['a', 'b'], env: { API_KEY: 'sk-12345678' } },
  other: { command: 'mcp-other' },
};
const SETTINGS = `stty -a | grep -o -- '-*icanon\\|-*echo '`;

const pml = new Pml({ after });
const skip = hasTerminal ? false : 'there is no `script` of util-linux here';

/** Makes a user whose Cursor has two servers, and whose PATH has `pml`. */
function newUser(name: string): { cwd: string; env: Record<string, string> } {
  const home = join(pml.dir, name);
  const cwd = join(home, 'app');
  for (const folder of [cwd, join(home, '.cursor'), join(home, 'bin')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: SERVERS }));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  writeFileSync(join(home, 'bin', 'pml'), program, { mode: 0o755 });
  const PATH = `${join(home, 'bin')}:${process.env.PATH}`;
  return { cwd, env: { HOME: home, PATH, PML_HOME: pml.home, TERM: 'xterm-256color', NO_COLOR: '1' } };
}

test('ctrl-C in pml init leaves nothing half-written, and the terminal as it was', { skip }, async () => {
  const { cwd, env } = newUser('stopped');
  const before = await inTerminal(SETTINGS, { cwd, env });
  const steps: Step[] = [[/Which servers shall PML serve\?/, CTRL_C]];
  const { output } = await inTerminal(`pml init; echo "ended with $?"; ${SETTINGS}`, { cwd, env, steps });
  const screen = screenText(output);
  assert.match(screen, /pml: Cancelled\. Nothing that you did not confirm was written\.\s+ended with 1/);
  assert.ok(screen.trimEnd().endsWith(screenText(before.output).trimEnd()), screen);
  assert.ok(output.lastIndexOf('\x1b[?25h') > output.lastIndexOf('\x1b[?25l'), 'the cursor is visible');
  assert.deepEqual(readdirSync(cwd), []);
});

test('ctrl-C at a later question of pml init keeps what was confirmed, whole', { skip }, async () => {
  const { cwd, env } = newUser('stopped later');
  const steps: Step[] = [
    [/Which servers shall PML serve\?/, ENTER],
    [/Spare the model's context\?/, ENTER],
    [/Connect which clients to PML\?/, CTRL_C],
  ];
  const { code, output } = await inTerminal('pml init', { cwd, env, steps });
  assert.equal(code, 1);
  assert.match(screenText(output), /Wrote ~\/app\/pml\.json/);
  assert.deepEqual(readdirSync(cwd).sort(), ['pml.env', 'pml.json']);
  assert.deepEqual(readdirSync(join(env.HOME ?? '', '.cursor')), ['mcp.json'], 'no client was connected');
});

test('a terminal that does not know its size shows the questions on whole lines', { skip }, async () => {
  const { cwd, env } = newUser('without size');
  const steps: Step[] = [[/Which servers shall PML serve\?/, CTRL_C]];
  const { screens } = await inTerminal('pml init', { cwd, env, steps, size: [0, 0] });
  assert.match(
    screens[0] ?? '',
    /◆ {2}Which servers shall PML serve\?\n.*◼ Cursor\n.*◼ memory {2}mcp-memory a b/,
  );
  const listed = await inTerminal('pml --help', { cwd, env, size: [0, 0] });
  assert.match(screenText(listed.output), /pml init .*\w/);
});

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

test('zsh completes by the script, also where nothing has set completion up', async (t) => {
  if (!hasTerminal || !isInstalled('zsh'))
    return t.skip('zsh, or `script` of util-linux, is not installed here');
  const { cwd, env } = newUser('zsh');
  const script = await pml.run(['completion', 'zsh']);
  writeFileSync(join(env.HOME ?? '', '.zshrc'), `PROMPT='ready> '\n${script.stdout}`);
  const steps: Step[] = [
    [/ready> /, 'pml versi\t'],
    [/pml version /, '--hel\t'],
    [/--help /, ENTER],
    [/Usage: pml version[\s\S]*ready> /, 'exit\r'],
  ];
  const { output } = await inTerminal('zsh -i', { cwd, env, steps });
  assert.doesNotMatch(output, /command not found/);
});

test('fish completes by the script', async (t) => {
  if (!isInstalled('fish')) return t.skip('fish is not installed here');
  const { cwd, env } = newUser('fish');
  const { stdout: script } = await pml.run(['completion', 'fish']);
  const offered = (line: string) =>
    spawnSync('fish', ['-c', `${script}\ncomplete -C '${line}'`], { cwd, env, encoding: 'utf8' }).stdout;
  assert.match(offered('pml hi'), /^history\t\S.*\n$/);
  assert.equal(offered('pml list --reti'), '--retired\n');
});
