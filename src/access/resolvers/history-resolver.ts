import type { BuiltInResolver } from '../agents/built-in-resolver.ts';
import { HISTORY_TOOLS } from '../servers/history-tools.ts';
import { inProcessServer } from './in-process.ts';
import { type ServeCommandOptions, serveCommand } from './serve-command.ts';

/** The agent's own past runs. */
export function historyResolver(options: ServeCommandOptions): BuiltInResolver {
  return {
    key: 'history',
    isListed: true,
    tools: HISTORY_TOOLS.map(({ descriptor }) => descriptor),
    configSchema: {
      type: 'object',
      description: "The agent's own past runs.",
      properties: {},
      additionalProperties: false,
    },
    resolve: (context) => ({ mcpServer: serveCommand('history', context, options) }),
    backing: ({ agent, who: { org, project, user }, db }) => {
      const owner = { org, project, user, agent };
      return inProcessServer('history', Object.values(owner), HISTORY_TOOLS, { db, owner });
    },
  };
}
