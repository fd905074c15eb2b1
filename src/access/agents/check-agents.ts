import { type Config, showPath } from '../../config/index.ts';
import { buildRegistry } from '../resolvers/build-registry.ts';
import { findAgent } from './find-agent.ts';
import { agentProblems } from './resolve-agent.ts';

/** Lists what is wrong with the agents of a config, as far as that is known without its servers. */
export function mistakesOfAgents(config: Config): string[] {
  const registry = buildRegistry(config, { catalogOf: () => undefined });
  return Object.keys(config.agents)
    .flatMap((name) => agentProblems(registry, findAgent(config, name)))
    .map(({ path, text }) => `${showPath(path)}: ${text}`);
}
