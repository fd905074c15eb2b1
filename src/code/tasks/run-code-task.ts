import { extname } from 'node:path';
import { PmlError } from '../../errors.ts';
import { type Tasks, TaskThread } from '../../task-thread.ts';
import { TASKS } from './task-table.ts';

type Table = typeof TASKS;
type Rest<K extends keyof Table> = Parameters<Table[K]> extends [string, ...infer R] ? R : never;

/** Whatever is in code of this size is read in some tens of milliseconds, and mostly in one or two. */
const SMALL = 4 * 1024;
/** The worst that the limits of a program allow takes less than a second on a processor of its own. */
const DEADLINE_MS = 15_000;

const thread = new TaskThread<Table>({
  // The built package holds .js where the source holds .ts.
  program: new URL(`./thread${extname(import.meta.url)}`, import.meta.url),
  deadlineMs: DEADLINE_MS,
  overrun: () =>
    new PmlError('code_limit', 'This code is too complex to be read.', {
      hint: 'Break it into smaller capabilities, and pass data through `args`.',
    }),
});

/**
 * Does one task on code that others wrote. Large code is read in a thread of its own, so that nobody else waits, and
 * within a deadline: then it fails with `code_limit`.
 */
export async function runCodeTask<K extends keyof Table>(
  task: K,
  source: string,
  ...rest: Rest<K>
): Promise<ReturnType<Table[K]>> {
  const args = [source, ...rest] as unknown as Parameters<Table[K]>;
  if (source.length > SMALL) return thread.run(task, ...args);
  const act: Tasks[string] = TASKS[task];
  return act(...args) as ReturnType<Table[K]>;
}
