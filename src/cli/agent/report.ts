import { type AgentReport, type CapabilityReport, summarizeAgent } from '../../access/agents/index.ts';
import { PmlError } from '../../errors.ts';
import { sendAdminRequest } from '../admin-request.ts';
import type { Invocation } from '../command.ts';
import { count, firstLine } from '../format-text.ts';
import { stringOption } from '../option-values.ts';
import { printable, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** `pml agent list`. */
export async function listAgents(invocation: Invocation): Promise<void> {
  const { positionals, values, terminal } = invocation;
  if (positionals.length > 1) throw new PmlError('bad_request', 'agent list takes no name.');
  const agents = await readReports(invocation);
  if (values.json) return terminal.print(JSON.stringify({ agents: agents.map(summarizeAgent) }));
  if (agents.length === 0) return terminal.print('The config declares no agents. docs/agents.md says how.');
  const rows = agents.map((agent) => [
    agent.is_default ? `${agent.name} (default)` : agent.name,
    agent.model ?? '',
    Object.keys(agent.declared).join(', ') || 'none',
    agent.ok ? 'ok' : count(agent.problems.length, 'problem'),
  ]);
  terminal.print(table(['AGENT', 'MODEL', 'CAPABILITIES', ''], rows, terminal));
}

/** `pml agent show A`: what the config says of it, and the tools that it gets. */
export async function showAgent(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const agent = await readReport(invocation);
  const { name, is_default, model, system_prompt, declared, capabilities, learned } = agent;
  if (values.json) {
    const shown = { name, is_default, model, system_prompt, declared, capabilities, learned };
    return terminal.print(JSON.stringify(shown));
  }
  terminal.print(terminal.style('bold', is_default ? `${name} (default)` : name));
  if (model !== null) terminal.print(`model          ${model}`);
  if (system_prompt !== null) terminal.print(`system prompt  ${firstLine(system_prompt, 100)}`);
  for (const capability of capabilities)
    terminal.print(`${capability.key.padEnd(14)} ${toolsOf(capability)}${configOf(capability)}`);
  if (capabilities.length === 0) terminal.print('It has no capabilities: only PML’s own tools that read.');
  for (const problem of agent.problems) terminal.warn(problem);
}

/** `pml agent check A`: what it can and cannot reach, and why. Exits with 1 if its config is wrong. */
export async function checkAgent(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const agent = await readReport(invocation);
  if (!agent.ok) process.exitCode = 1;
  if (values.json) return terminal.print(JSON.stringify(agent));
  for (const line of explain(agent, terminal)) terminal.print(line);
}

function explain(agent: AgentReport, terminal: Terminal): string[] {
  const { name, ok, problems, warnings, capabilities, not_listed } = agent;
  const limited = capabilities.filter(({ denied }) => denied.length > 0);
  return [
    ok
      ? `${terminal.style('green', 'ok')} ${name}`
      : `${terminal.style('red', 'FAIL')} ${name}: no session is served until this is fixed`,
    ...problems.map((problem) => `  ${problem}`),
    ...warnings.map((warning) => `  ${terminal.style('yellow', 'note')} ${warning}`),
    '',
    terminal.style('bold', 'It can reach'),
    ...capabilities.map((one) => row(one.key, `${toolsOf(one)}${configOf(one)}`)),
    row('learned', learnedOf(agent)),
    row(
      'pml',
      'pml_execute, pml_discover and the cap_* tools that read, within the above (every agent has them)',
    ),
    '',
    terminal.style('bold', 'It cannot reach'),
    ...limited.map((one) => row(one.key, `${one.denied.join(', ')} (its "tools" does not name them)`)),
    ...not_listed.map(({ key, about }) => row(key, `not in its capabilities (${about.replace(/\.$/, '')})`)),
    ...(limited.length + not_listed.length === 0 ? ['  nothing of what is configured is left out'] : []),
  ];
}

function row(key: string, text: string): string {
  // Servers name their tools, and may put anything into a name.
  return `  ${key.padEnd(14)} ${printable(text)}`;
}

function toolsOf({ all_tools, allowed }: CapabilityReport): string {
  if (!all_tools) return allowed.length === 0 ? 'no tool ("tools" is empty)' : allowed.join(', ');
  return allowed.length === 0 ? 'all tools' : `all ${count(allowed.length, 'tool')}, and later ones`;
}

function configOf({ config }: CapabilityReport): string {
  return Object.keys(config).length === 0 ? '' : `  ${JSON.stringify(config)}`;
}

function learnedOf({ learned }: AgentReport): string {
  if (learned === 'none') return 'no learned capability ("capabilities" is not in its object)';
  if (learned === 'all') return 'all learned capabilities that you see';
  return learned.length === 0 ? 'no learned capability ("names" is empty)' : learned.join(', ');
}

async function readReport(invocation: Invocation): Promise<AgentReport> {
  const [act, name, ...rest] = invocation.positionals;
  if (name === undefined || rest.length > 0)
    throw new PmlError('bad_request', `agent ${act} needs the name of one agent. pml agent list shows them.`);
  const [report] = await readReports(invocation, name);
  return report as AgentReport;
}

async function readReports(invocation: Invocation, agent?: string): Promise<AgentReport[]> {
  const { terminal } = invocation;
  const request = { do: 'agents', ...(agent !== undefined && { agent }) };
  const config = stringOption(invocation, 'config');
  return (await sendAdminRequest<{ agents: AgentReport[] }>(terminal, request, config)).agents;
}
