import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { tasksResolver } from '../resolvers/tasks-resolver.ts';
import { MAX_TASKS } from './agent-tasks.ts';
import { callTool, openServer } from './testing.ts';

onBothEngines('tasks is a durable to-do list: add, list, change, complete, remove', async ({ db, again }) => {
  const server = await openServer(tasksResolver({}), { db });
  assert.deepEqual(
    server.catalog.tools.map(({ name }) => name),
    tasksResolver({}).tools.map(({ key }) => key),
  );
  await callTool(server, 'add_task', { title: 'Read the report', details: 'all of it' });
  await callTool(server, 'add_task', { title: 'Write the summary' });
  await callTool(server, 'update_task', { number: 2, status: 'doing', title: 'Write a summary' });
  await callTool(server, 'complete_task', { number: 1 });
  // Another process, as after a restart.
  const later = await openServer(tasksResolver({}), { db: await again() });
  const { data } = await callTool(later, 'list_tasks', {});
  assert.deepEqual(
    data.tasks.map((task: Record<string, unknown>) => [task.number, task.title, task.details, task.status]),
    [
      [1, 'Read the report', 'all of it', 'done'],
      [2, 'Write a summary', '', 'doing'],
    ],
  );
  await callTool(later, 'remove_task', { number: 1 });
  const done = await callTool(later, 'list_tasks', { status: 'done' });
  assert.deepEqual(done.data, { tasks: [] });
});

onBothEngines('each agent and each user has a list of its own', async ({ db }) => {
  const who = { user: 'ana', org: 'acme', project: 'web' };
  const mine = await openServer(tasksResolver({}), { db });
  const others = await Promise.all([
    openServer(tasksResolver({}), { db, agent: 'writer' }),
    openServer(tasksResolver({}), { db, who: { ...who, user: 'ben' } }),
    openServer(tasksResolver({}), { db, who: { ...who, project: 'app' } }),
  ]);
  await callTool(mine, 'add_task', { title: 'Mine alone' });
  for (const other of others) {
    assert.deepEqual((await callTool(other, 'list_tasks', {})).data, { tasks: [] });
    assert.match((await callTool(other, 'update_task', { number: 1, status: 'done' })).text, /no task 1/);
    assert.match((await callTool(other, 'remove_task', { number: 1 })).text, /no task 1/);
    assert.equal((await callTool(other, 'add_task', { title: 'Other' })).data.number, 1);
  }
  assert.equal((await callTool(mine, 'list_tasks', {})).data.tasks.length, 1);
});

onBothEngines(
  'tasks that are added at once get numbers of their own; texts and the list are bounded',
  async ({ db }) => {
    const server = await openServer(tasksResolver({}), { db });
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, at) => callTool(server, 'add_task', { title: `Task ${at}` })),
    );
    assert.deepEqual(
      added.map(({ data }) => data.number).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    for (const title of ['', '  ', '\0', 'x'.repeat(501), 7])
      assert.equal((await callTool(server, 'add_task', { title })).isError, true, JSON.stringify(title));
    await db.query(
      `insert into agent_tasks (org, project, user_id, agent, number, title)
     select 'acme', 'web', 'ana', 'analyst', n, 'one more' from generate_series(21, ${MAX_TASKS}) n`,
    );
    const full = await callTool(server, 'add_task', { title: 'One too many' });
    assert.match(full.text, /holds 500 tasks: remove some first/);
  },
);
