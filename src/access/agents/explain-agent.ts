import { type Config, showPath } from '../../config/index.ts';
import type { AgentCapabilityRegistry, CheckedCapability } from './agent-capability-registry.ts';
import { isBuiltInResolver } from './built-in-resolver.ts';
import { findAgent, workspaceDirOf } from './find-agent.ts';
import { agentProblems } from './resolve-agent.ts';
import type { CapabilityConfig, CapabilityDescriptor } from './types.ts';

/** An agent's share of one capability. */
export interface CapabilityReport {
  key: string;
  about: string;
  /** Its config, without `tools`. */
  config: Record<string, unknown>;
  /** True if it may use every tool, also those that the capability gets later. */
  all_tools: boolean;
  allowed: string[];
  /** Tools of the capability that `tools` leaves out. */
  denied: string[];
}

/** Everything that an agent can and cannot reach, and why. */
export interface AgentReport {
  name: string;
  is_default: boolean;
  model: string | null;
  system_prompt: string | null;
  /** The capabilities object as the config writes it. */
  declared: Record<string, CapabilityConfig>;
  ok: boolean;
  problems: string[];
  /** Settings that are valid, but probably a mistake. */
  warnings: string[];
  capabilities: CapabilityReport[];
  /** The learned capabilities that it may use. */
  learned: 'none' | 'all' | string[];
  /** Capabilities that exist, and that its object does not list. */
  not_listed: { key: string; about: string }[];
}

/** An agent as a list shows it, with the keys of its capabilities object. */
export type AgentSummary = Pick<AgentReport, 'name' | 'is_default' | 'model' | 'ok' | 'problems'> & {
  capabilities: string[];
};

export function summarizeAgent(report: AgentReport): AgentSummary {
  const { name, is_default, model, declared, ok, problems } = report;
  return { name, is_default, model, capabilities: Object.keys(declared), ok, problems };
}

/** Explains an agent of the config. Starts nothing. */
export function explainAgent(registry: AgentCapabilityRegistry, config: Config, name: string): AgentReport {
  const agent = findAgent(config, name);
  const { checked } = registry.check(agent.capabilities);
  const problems = agentProblems(registry, agent).map(({ path, text }) => `${showPath(path)}: ${text}`);
  const known = registry.knownCapabilities();
  return {
    name,
    is_default: config.defaultAgent === name,
    model: agent.model ?? null,
    system_prompt: agent.systemPrompt ?? null,
    declared: agent.capabilities,
    ok: problems.length === 0,
    problems,
    warnings: [...checked].flatMap(([key, one]) => warningsOf(key, one, workspaceDirOf(config))),
    capabilities: known.flatMap((capability) => {
      const one = checked.get(capability.key);
      return one ? [reportOf(capability, one)] : [];
    }),
    learned: learnedBy(checked),
    not_listed: known
      .filter(({ key }) => !Object.hasOwn(agent.capabilities, key))
      .map((capability) => ({ key: capability.key, about: aboutOf(capability) })),
  };
}

function reportOf(
  capability: CapabilityDescriptor,
  { config, allTools }: CheckedCapability,
): CapabilityReport {
  const { tools, ...own } = config;
  const allowed = new Set(tools);
  const denied = capability.tools.map(({ key }) => key).filter((key) => !allowed.has(key));
  const about = aboutOf(capability);
  return { key: capability.key, about, config: own, all_tools: allTools, allowed: tools, denied };
}

function aboutOf({ configSchema }: CapabilityDescriptor): string {
  return typeof configSchema?.description === 'string' ? configSchema.description : '';
}

function learnedBy(checked: ReadonlyMap<string, CheckedCapability>): AgentReport['learned'] {
  for (const { resolver, config } of checked.values()) {
    const learned = isBuiltInResolver(resolver) ? resolver.learned?.(config) : undefined;
    if (learned !== undefined) return learned === 'all' ? 'all' : [...learned];
  }
  return 'none';
}

function warningsOf(key: string, { resolver, config }: CheckedCapability, workspaceDir: string): string[] {
  if (!isBuiltInResolver(resolver)) return [];
  const own = resolver.warningsOf?.(config, workspaceDir) ?? [];
  const unlisted = resolver.isListed
    ? []
    : ['its server was never listed, so nobody knows whether it has the tools that are named'];
  return [...own, ...unlisted].map((text) => `${key}: ${text}`);
}
