import { z } from 'zod';
import { MAX_TEXT } from '../../stored-texts.ts';
import type { AgentTasks, Task } from './agent-tasks.ts';
import { defineServerTool, type ServerTool } from './tool-server.ts';

const number = z.int().min(1).max(2_147_483_647).describe('The number of the task.');
// A text of blanks says nothing, and NUL cannot be stored.
const title = z.string().trim().min(1).max(MAX_TEXT.task_title);
const details = z.string().max(MAX_TEXT.task_details);
const status = z.enum(['open', 'doing', 'done']);

/** The tools of an agent's to-do list. */
export const TASK_TOOLS: readonly ServerTool<AgentTasks>[] = [
  defineServerTool({
    key: 'add_task',
    name: 'Add a task',
    description: 'Adds a task to your to-do list, which outlives this conversation.',
    input: z.strictObject({ title, details: details.optional() }),
    does: 'adds',
    run: async (input, tasks) => shown(await tasks.add(input.title, input.details)),
  }),
  defineServerTool({
    key: 'list_tasks',
    name: 'List tasks',
    description: 'Lists the tasks of your to-do list, all or those of one status.',
    input: z.strictObject({ status: status.optional() }),
    does: 'reads',
    run: async (input, tasks) => ({ tasks: (await tasks.list(input.status)).map(shown) }),
  }),
  defineServerTool({
    key: 'update_task',
    name: 'Change a task',
    description: 'Changes the title, details or status of a task. Status: open, doing or done.',
    input: z.strictObject({
      number,
      title: title.optional(),
      details: details.optional(),
      status: status.optional(),
    }),
    does: 'changes',
    run: async ({ number: which, ...change }, tasks) => shown(await tasks.update(which, change)),
  }),
  defineServerTool({
    key: 'complete_task',
    name: 'Complete a task',
    description: 'Marks a task as done.',
    input: z.strictObject({ number }),
    does: 'changes',
    run: async (input, tasks) => shown(await tasks.update(input.number, { status: 'done' })),
  }),
  defineServerTool({
    key: 'remove_task',
    name: 'Remove a task',
    description: 'Takes a task off the list for good.',
    input: z.strictObject({ number }),
    does: 'changes',
    run: async (input, tasks) => ({ removed: shown(await tasks.remove(input.number)) }),
  }),
];

function shown({ created_at, updated_at, ...task }: Task): object {
  return { ...task, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
