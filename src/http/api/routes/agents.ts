import { summarizeAgent } from '../../../access/agents/index.ts';
import { explainAgents } from '../../../workspace/index.ts';
import { defineRoute } from '../route.ts';
import { Agent, AgentList } from '../schemas/agents.ts';
import type { View } from '../view.ts';

export const listAgentsRoute = defineRoute({
  method: 'get',
  path: '/agents',
  summary: 'The agents of the config',
  answer: AgentList,
  run: async (_, view) => ({ items: (await explain(view)).map(summarizeAgent), next: null }),
});

export const agentRoute = defineRoute({
  method: 'get',
  path: '/agents/:name',
  summary: 'What one agent can and cannot reach, and why',
  answer: Agent,
  run: async ({ params: { name } }, view) => (await explain(view, name))[0],
});

async function explain({ gateway, who }: View, name?: string) {
  const { db } = gateway.resources;
  return (await explainAgents(gateway.workspace, { db, who }, name)).agents;
}
