import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { PmlError } from './errors.ts';
import { TaskThread } from './task-thread.ts';

/** The source of a worker with these tasks: the functions of a test have no file of their own. */
const SOURCE = `
  import { serveTasks } from ${JSON.stringify(new URL('./task-thread.ts', import.meta.url).href)};
  import { PmlError } from ${JSON.stringify(new URL('./errors.ts', import.meta.url).href)};
  let calls = 0;
  serveTasks({
    add: (a, b) => a + b,
    calls: () => ++calls,
    wait: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    spin: () => { for (;;); },
    refuse: () => { throw new PmlError('syntax_error', 'no', { hint: 'write it well' }); },
    fail: () => { throw new TypeError('a bug'); },
  });
`;
interface Those {
  [name: string]: (...args: never[]) => unknown;
  add(a: number, b: number): number;
  calls(): number;
  wait(ms: number): string;
  spin(): void;
  refuse(): void;
  fail(): void;
}

const overrun = () => new PmlError('code_limit', 'too much');
const threadOf = (deadlineMs: number) =>
  new TaskThread<Those>({
    program: new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`),
    deadlineMs,
    overrun,
  });

test('tasks run in the order in which they were given', async () => {
  const thread = threadOf(60_000);
  assert.deepEqual(
    await Promise.all([thread.run('add', 1, 2), thread.run('calls'), thread.run('calls')]),
    [3, 1, 2],
  );
});

test('a task that takes too long is ended, and the next gets a new thread', async () => {
  const thread = threadOf(4000);
  assert.equal(await thread.run('calls'), 1);
  const [spun, after] = await Promise.allSettled([thread.run('spin'), thread.run('calls')]);
  assert.equal(spun.status === 'rejected' && spun.reason.code, 'code_limit');
  assert.deepEqual(after, { status: 'fulfilled', value: 1 });
});

test('a task that waits for a core has more time than one that uses it', async () => {
  assert.equal(await threadOf(3000).run('wait', 3300), 'timed-out');
});

test('a task that waits for ever is ended too', async () => {
  await assert.rejects(threadOf(100).run('wait', 60_000), { code: 'code_limit' });
});

test('an error of a task arrives, and the thread survives it', async () => {
  const thread = threadOf(60_000);
  await assert.rejects(thread.run('refuse'), {
    name: 'PmlError',
    code: 'syntax_error',
    hint: 'write it well',
  });
  await assert.rejects(thread.run('fail'), { message: 'a bug' });
  await assert.rejects(thread.run('add', (() => 1) as never, 1), /could not be cloned/);
  assert.equal(await thread.run('calls'), 1);
});

test('an idle thread keeps no process alive', async () => {
  const program = `
    import { TaskThread } from ${JSON.stringify(new URL('./task-thread.ts', import.meta.url).href)};
    const thread = new TaskThread({ program: new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(SOURCE)}`)}), deadlineMs: 60000, overrun: () => new Error() });
    console.log(await thread.run('add', 2, 3));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    // An idle thread would end after a minute.
    timeout: 50_000,
  });
  assert.equal(stdout, '5\n');
});
