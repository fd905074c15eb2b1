import {
  type AgentCapabilityRegistry,
  buildRegistry,
  explainAgent,
  shadowedCapabilities,
} from '../../access/agents/index.ts';
import type { Config } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import type { Catalog } from '../../upstream/index.ts';
import { count } from '../format-text.ts';

/** Builds the registry of the config from what its servers just listed. */
export function registryOf(config: Config, catalogs: ReadonlyMap<string, Catalog>): AgentCapabilityRegistry {
  return buildRegistry(config, { catalogOf: ({ name }) => catalogs.get(name) });
}

/** Lists the capabilities that agents can be given. */
export async function checkCapabilities(config: Config, registry: AgentCapabilityRegistry) {
  const known = registry.knownCapabilities().map(({ key, tools }) => `${key} (${tools.length})`);
  const taken = shadowedCapabilities(config);
  const advice = `${taken.map((key) => `"${key}"`).join(' and ')}: a server of the config has the name of a built-in capability, so agents get the server. Rename it to have both.`;
  return {
    value: true,
    detail: `capabilities for agents (with the number of tools): ${known.join(', ')}`,
    ...(taken.length > 0 && { advice }),
  };
}

/** Checks one agent: its capabilities exist, and so do the tools that it names. */
export async function checkAgent(config: Config, registry: AgentCapabilityRegistry, name: string) {
  const { ok, problems, warnings, capabilities } = explainAgent(registry, config, name);
  if (!ok)
    throw new PmlError('config_invalid', problems.join('\n       '), {
      hint: `\`pml agent check ${name}\` explains what it can reach.`,
    });
  const tools = capabilities.reduce((sum, { allowed }) => sum + allowed.length, 0);
  const detail = `${count(capabilities.length, 'capability', 'capabilities')}, ${count(tools, 'tool')}`;
  return { value: true, detail, ...(warnings.length > 0 && { advice: warnings.join('; ') }) };
}
