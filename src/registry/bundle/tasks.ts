import { sourceFile } from '../../package-files.js';
import { type Tasks, TaskThread } from '../../task-thread.ts';
import { invalidBundle, readBundle } from './read-bundle.ts';
import { validateBundle } from './validate.ts';

/** The work on a stranger's file before anything in it is believed. */
export const TASKS = { read: readBundle, validate: validateBundle };

type Table = typeof TASKS;

/** Reading a bundle up to this size takes less time than handing it to a thread. */
const SMALL = 8 * 1024;
/** The largest bundle that is allowed takes a minute. */
const DEADLINE_MS = 300_000;

const thread = new TaskThread<Table>({
  // The built package holds .js where the source holds .ts.
  program: sourceFile('registry/bundle/worker.ts'),
  deadlineMs: DEADLINE_MS,
  overrun: () => invalidBundle('This bundle is too complex to be read.'),
});

/** Runs one task on a bundle of this size; on a large one in a thread, so that nobody else waits. */
export async function onBundle<K extends keyof Table>(
  task: K,
  size: number,
  ...args: Parameters<Table[K]>
): Promise<ReturnType<Table[K]>> {
  if (size > SMALL) return thread.run(task, ...args);
  const act: Tasks[string] = TASKS[task];
  return act(...args) as ReturnType<Table[K]>;
}
