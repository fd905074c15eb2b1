import { type Config, invalidFile, labelOf } from '../../config/index.ts';
import { buildRegistry } from '../resolvers/build-registry.ts';
import { findAgent } from './find-agent.ts';
import { agentProblems } from './resolve-agent.ts';

/** Throws one error with all that is wrong with the agents of a config, as far as it can be told without its servers. */
export function assertAgents(config: Config, cwd: string): void {
  const names = Object.keys(config.agents);
  if (names.length === 0 || config.file === null) return;
  const registry = buildRegistry(config, { catalogOf: () => undefined });
  const problems = names.flatMap((name) => agentProblems(registry, findAgent(config, name)));
  if (problems.length > 0) throw invalidFile(problems, labelOf(config.file, cwd));
}
