import { z } from 'zod';
import { find, notFound, warnOfAlias } from '../../registry/index.ts';
import { type Subject, sinceWhen, statistics } from '../../runs/index.ts';
import { defineTool, type ToolContext } from './define.ts';
import { READS, spelling, text } from './fields.ts';

export const statsTool = defineTool({
  name: 'cap_stats',
  title: 'Show how tools and capabilities do',
  description:
    'Calls, success and latency (median and 95th percentile) by tool, capability and server, and how many capabilities have no name yet.',
  input: z.strictObject({
    name: spelling.optional().describe('Only this capability, tool or server'),
    since: text(40).optional().describe('A date or time ("2025-12-22"), or how far back ("24h", "7d")'),
  }),
  annotations: READS,
  run: async ({ name, since }, context) => {
    const { workspace, caller } = context;
    const from = since === undefined ? undefined : sinceWhen(since);
    const subject = name === undefined ? {} : await subjectOf(context, name);
    await workspace.journal.flush();
    return statistics(workspace.db, caller.who, { ...subject, since: from });
  },
});

async function subjectOf({ workspace, caller }: ToolContext, name: string): Promise<Subject> {
  const tool = caller.tools.lookup(name);
  if (tool) return { server: tool.upstream.name, tool: tool.own };
  if (workspace.config.servers.some((server) => server.name === name)) return { server: name };
  const capability = await find(workspace.db, caller.who, name);
  if (!capability) throw notFound(name);
  warnOfAlias(workspace.log, capability);
  return { fqdn: capability.fqdn };
}
