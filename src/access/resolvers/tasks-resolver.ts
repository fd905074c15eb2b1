import type { BuiltInResolver } from '../agents/built-in-resolver.ts';
import { AgentTasks } from '../servers/agent-tasks.ts';
import { TASK_TOOLS } from '../servers/task-tools.ts';
import { inProcessServer } from './in-process.ts';
import { type ServeCommandOptions, serveCommand } from './serve-command.ts';

/** A to-do list that the agent keeps in the store. */
export function tasksResolver(options: ServeCommandOptions): BuiltInResolver {
  return {
    key: 'tasks',
    isListed: true,
    tools: TASK_TOOLS.map(({ descriptor }) => descriptor),
    configSchema: {
      type: 'object',
      description: 'A to-do list that the agent keeps.',
      properties: {},
      additionalProperties: false,
    },
    resolve: (context) => ({ mcpServer: serveCommand('tasks', context, options) }),
    backing: ({ agent, who: { org, project, user }, db, redactor }) => {
      const owner = { org, project, user, agent };
      return inProcessServer('tasks', Object.values(owner), TASK_TOOLS, new AgentTasks(db, owner, redactor));
    },
  };
}
