import { type AgentReport, explainAgent } from '../access/agents/index.ts';
import type { Principal } from '../principal.ts';
import { find } from '../registry/index.ts';
import type { Db } from '../store/index.ts';
import type { Workspace } from './workspace.ts';

/** How many names of learned capabilities are looked up for one agent. */
const MAX_NAMES = 200;

/** Explains the agents of a workspace, or one of them. */
export async function explainAgents(
  workspace: Workspace,
  { db, who }: { db: Db; who: Principal },
  name: string | undefined,
): Promise<{ agents: AgentReport[] }> {
  const { config, agentCapabilities } = workspace;
  await workspace.toolsKnown();
  const names = name === undefined ? Object.keys(config.agents).sort() : [name];
  const reports = names.map((one) => explainAgent(agentCapabilities, config, one));
  if (name === undefined) return { agents: reports };
  for (const report of reports) report.warnings.push(...(await unknownNames(db, who, report.learned)));
  return { agents: reports };
}

/** Warns of names of learned capabilities that do not exist yet, or that the user cannot see. */
async function unknownNames(db: Db, who: Principal, learned: AgentReport['learned']): Promise<string[]> {
  if (typeof learned === 'string') return [];
  const warnings: string[] = [];
  for (const name of learned.slice(0, MAX_NAMES)) {
    const found = await find(db, who, name).catch(() => undefined);
    if (!found)
      warnings.push(`capabilities: no capability "${name}" is visible to you; it may not exist yet`);
  }
  return warnings;
}
