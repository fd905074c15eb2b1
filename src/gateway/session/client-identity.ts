import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { type AgentScope, partOf } from '../../workspace/index.ts';
import type { Gateway } from './gateway.ts';
import type { SessionIdentity } from './session.ts';

/** The identity that a client asks for. */
export interface AskedIdentity {
  /** An agent of the config. Without one, the client is the default agent of the config, if it has one. */
  agent?: string | undefined;
  /** The only part of the agent that the client wants: a key of its capabilities, or `pml` for PML's own tools. */
  capability?: string | undefined;
}

/** Makes the identity of a client. Throws if it asks for an agent or a part that cannot be had. */
export function identify({ workspace }: Gateway, who: Principal, asked: AskedIdentity): SessionIdentity {
  // A person who types a command is never the default agent.
  const usual = who.person ? undefined : (workspace.config.defaultAgent ?? undefined);
  const name = asked.agent ?? usual;
  const { capability: part } = asked;
  if (name === undefined) {
    if (part !== undefined)
      throw new PmlError('bad_request', `"${part}" is a capability of an agent, but no agent was named.`, {
        hint: 'Name the agent with --agent.',
      });
    return { who };
  }
  const agent = workspace.agent(name, who);
  if (part !== undefined) assertHasPart(agent, part);
  return { who: agent.who, agent, part };
}

function assertHasPart(agent: AgentScope, part: string): void {
  if (partOf({ part }) === 'own' || agent.hasServer(part)) return;
  throw new PmlError('bad_request', `Agent "${agent.rights.agent}" has no capability "${part}".`, {
    hint: 'The "capabilities" of the agent in the config list what it has.',
  });
}
