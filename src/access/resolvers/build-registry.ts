import type { Config } from '../../config/index.ts';
import { AgentCapabilityRegistry } from '../agents/agent-capability-registry.ts';
import type { CapabilityResolver } from '../agents/types.ts';
import { capabilitiesResolver } from './capabilities-resolver.ts';
import { filesResolver } from './files-resolver.ts';
import { historyResolver } from './history-resolver.ts';
import { memoryResolver } from './memory-resolver.ts';
import type { ServeCommandOptions } from './serve-command.ts';
import { type CatalogOf, serverResolver } from './server-resolver.ts';
import { tasksResolver } from './tasks-resolver.ts';

export interface RegistryOptions {
  /** The last lists of each server. */
  catalogOf: CatalogOf;
  /** The environment of the `pml serve` sessions that agents get as servers. */
  env?: Record<string, string>;
}

/** Makes the resolvers that come with PML, besides those of the configured servers. */
export function builtInResolvers(options: ServeCommandOptions): CapabilityResolver[] {
  return [
    capabilitiesResolver,
    filesResolver(options),
    memoryResolver(options),
    historyResolver(options),
    tasksResolver(options),
  ];
}

/** Builds the registry of one config. A configured server replaces the built-in capability with the same key. */
export function buildRegistry(
  { file, servers }: Pick<Config, 'file' | 'servers'>,
  { catalogOf, env }: RegistryOptions,
): AgentCapabilityRegistry {
  const registry = new AgentCapabilityRegistry();
  const options = { configFile: file ?? undefined, env };
  for (const server of servers) registry.register(serverResolver(server, catalogOf, options));
  for (const resolver of builtInResolvers(options)) {
    if (!registry.resolverOf(resolver.key)) registry.register(resolver);
  }
  return registry;
}

/** Lists the configured servers that took the key of a built-in capability. */
export function shadowedCapabilities({ servers }: Pick<Config, 'servers'>): string[] {
  const keys = new Set(builtInResolvers({}).map(({ key }) => key));
  return servers.map(({ name }) => name).filter((name) => keys.has(name));
}
