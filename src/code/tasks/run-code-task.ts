import { PmlError } from '../../errors.ts';
import { sourceFile } from '../../package-files.js';
import { type Tasks, TaskThread } from '../../task-thread.ts';
import { TaskMemo } from './task-memo.ts';
import { CODE_TASKS } from './task-table.ts';

type CodeTasks = typeof CODE_TASKS;
type Rest<K extends keyof CodeTasks> = Parameters<CodeTasks[K]> extends [string, ...infer R] ? R : never;

/** In characters. Any task on code of this size takes some tens of milliseconds at most, and mostly one or two. */
const SMALL = 4 * 1024;
/** The most expensive code within the limits takes less than a second on an idle core. */
const DEADLINE_MS = 15_000;

/** Tasks that parse the code many times. */
const ALWAYS_IN_THREAD: ReadonlySet<keyof CodeTasks> = new Set(['repair']);

const thread = new TaskThread<CodeTasks>({
  program: sourceFile('code/tasks/worker.ts'),
  deadlineMs: DEADLINE_MS,
  overrun: () =>
    new PmlError('code_limit', 'This code is too complex to be analysed.', {
      hint: 'Break it into smaller capabilities, and pass data through `args`.',
    }),
});

const memo = new TaskMemo();

/**
 * Runs one task on foreign code, or answers with what it found before. Large code is parsed in a separate thread, so that
 * no other session waits. Past the deadline the task fails with `code_limit`.
 */
export async function runCodeTask<K extends keyof CodeTasks>(
  task: K,
  source: string,
  ...rest: Rest<K>
): Promise<ReturnType<CodeTasks[K]>> {
  return memo.answer(task, source, rest, () => runAnew(task, source, rest));
}

async function runAnew<K extends keyof CodeTasks>(
  task: K,
  source: string,
  rest: readonly unknown[],
): Promise<ReturnType<CodeTasks[K]>> {
  const args = [source, ...rest] as unknown as Parameters<CodeTasks[K]>;
  if (source.length > SMALL || ALWAYS_IN_THREAD.has(task)) return thread.run(task, ...args);
  const run: Tasks[string] = CODE_TASKS[task];
  return run(...args) as ReturnType<CodeTasks[K]>;
}
