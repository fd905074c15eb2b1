import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../../config/index.ts';
import { closest } from '../../edit-distance.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { AgentConfig } from './types.ts';

/** Finds an agent of the config by its name. */
export function findAgent({ agents }: Pick<Config, 'agents'>, name: string): AgentConfig {
  const found = Object.hasOwn(agents, name) ? agents[name] : undefined;
  // An unchecked cast: the registry validates `capabilities` before it uses them.
  if (found) return { name, ...found } as AgentConfig;
  const known = Object.keys(agents);
  const near = closest(name, known);
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  throw new PmlError('agent_not_found', `There is no agent ${shown} in the config.`, {
    hint: near !== undefined ? `Did you mean "${near}"?` : describeAgents(known),
  });
}

const MAX_LISTED = 20;

function describeAgents(known: readonly string[]): string {
  if (known.length === 0) return 'It declares no agents: add some under "agents" in pml.json.';
  const more = known.length - MAX_LISTED;
  return `Its agents are ${known.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The folder to which the paths of agents are relative. */
export function workspaceDirOf({ file, home }: Pick<Config, 'file' | 'home'>): string {
  return file === null ? home : path.dirname(file);
}

/** The folder of one user's agent. The digest keeps names apart that differ only in case. */
export function agentDirOf(home: string, agent: string, { org, project, user }: Principal): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([org, project, user, agent]))
    .digest('hex');
  return path.join(home, 'agents', `${agent.replace(/[^\w-]/g, '_').slice(0, 32)}-${digest.slice(0, 16)}`);
}
