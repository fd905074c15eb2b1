import { extname } from 'node:path';
import { type Tasks, TaskThread } from '../../task-thread.ts';
import { invalid, readBundle } from './read-bundle.ts';
import { examine } from './validate.ts';

/** What is done with a file that a stranger may have sent, before anything of it is believed. */
export const TASKS = { read: readBundle, examine };

type Table = typeof TASKS;

/** A bundle of one small capability; to hand it to a thread would take longer than to read it. */
const SMALL = 8 * 1024;
/** The largest bundle that is allowed takes a minute. */
const DEADLINE_MS = 300_000;

const thread = new TaskThread<Table>({
  // The built package holds .js where the source holds .ts.
  program: new URL(`./thread${extname(import.meta.url)}`, import.meta.url),
  deadlineMs: DEADLINE_MS,
  overrun: () => invalid('This bundle is too complex to be read.'),
});

/** Does one task on a bundle of this size; a large one in a thread of its own, so that nobody else waits. */
export async function onBundle<K extends keyof Table>(
  task: K,
  size: number,
  ...args: Parameters<Table[K]>
): Promise<ReturnType<Table[K]>> {
  if (size > SMALL) return thread.run(task, ...args);
  const act: Tasks[string] = TASKS[task];
  return act(...args) as ReturnType<Table[K]>;
}
