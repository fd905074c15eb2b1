/** A host that can make no sandbox process says why to those who run code, and goes on. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { attempt } from '../testing/wait.ts';

const OPEN = `import { openSandbox, DEFAULT_LIMITS } from '${new URL('index.ts', import.meta.url)}';
  const sandbox = openSandbox({ warm: 1 });
  const run = async (code) => {
    try {
      const outcome = await sandbox.run(code, {}, async () => 1, DEFAULT_LIMITS);
      return outcome.ok ? outcome.value : outcome.message;
    } catch (error) { return error.message; }
  };`;

/** Runs a script in a host of its own, and returns what it prints. */
function inHost(script: string, env: Record<string, string> = {}): unknown {
  const node = ['--no-node-snapshot', '--input-type=module', '-e', OPEN + script];
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 150; exec "$0" "$@"', process.execPath, ...node],
    {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    },
  );
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

test('without a build of the addon, each run is refused with the reason', () => {
  const answers = inHost(
    `const answers = [await run('return 1'), await run('return 2')];
     await sandbox.close();
     console.log(JSON.stringify(answers));`,
    { npm_config_arch: 'mips' },
  ) as string[];
  assert.equal(answers.length, 2);
  for (const answer of answers)
    assert.match(
      answer,
      /^The sandbox cannot start: PML cannot run code here: there is no build of isolated-vm/,
    );
});

test('without free file descriptors, runs wait for the process that there is, or are refused', async () => {
  const expected = [1, 2, 3, 'The sandbox cannot start: too many files and connections are open', 5];
  // On a busy machine the process that there is may be silent for 2 s, and is given up then.
  const answers = await attempt(withoutDescriptors, (found) => isDeepStrictEqual(found, expected));
  assert.deepEqual(answers, expected);
});

function withoutDescriptors(): unknown {
  return inHost(
    `import { openSync, closeSync } from 'node:fs';
     const fill = () => { const open = []; try { for (;;) open.push(openSync('/dev/null')); } catch { return open; } };
     const first = await run('return 1');
     let open = fill();
     const waiting = await Promise.all([run('return new Promise((end) => setTimeout(() => end(2), 100))'), run('return 3')]);
     open.forEach((file) => closeSync(file));
     process.kill(sandbox.stats().processes[0].pid, 'SIGKILL');
     open = fill();
     while (sandbox.stats().processes.length > 0) await new Promise((end) => setTimeout(end, 5));
     const refused = await run('return 4');
     open.forEach((file) => closeSync(file));
     const last = await run('return 5');
     await sandbox.close();
     console.log(JSON.stringify([first, ...waiting, refused, last]));`,
  );
}
