import type { Config } from '../config/index.ts';
import type { ResolvedAgent } from './agent-scopes.ts';

const CHANGING = ['cap_rename','cap_update','cap_verify','cap_fork','cap_merge','cap_curate','cap_retire','cap_restore','cap_feedback'];

export function resolveAgent(config: Config, name: string): ResolvedAgent {
  const { capabilities } = config.agents[name] as Config['agents'][string];
  const { capabilities: learned, ...servers } = capabilities as Record<string, { tools?: string[]; names?: string[] }>;
  return {
    rights: {
      agent: name,
      servers: new Map(Object.entries(servers).map(([key, { tools }]) => [key, tools ? new Set(tools) : 'all'])),
      capabilities: learned ? (learned.names ? new Set(learned.names) : 'all') : 'none',
      changingTools: new Set(learned ? (learned.tools ?? CHANGING) : []),
    },
    servers: [],
  };
}
