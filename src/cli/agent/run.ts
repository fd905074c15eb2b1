import { dirname } from 'node:path';
import { agentDirOf, buildRegistry, findAgent } from '../../access/agents/index.ts';
import { type Config, loadConfig } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { NO_CATALOG } from '../../upstream/client.ts';
import { sendAdminRequest } from '../admin-request.ts';
import type { Invocation } from '../command.ts';
import { oneOf, stringOption, wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { RemoteThreads } from './remote-threads.ts';
import { jsonPrinter, type RunPrinter, textPrinter } from './run-printer.ts';

/** The exit code of a command that ctrl-C ended, as shells expect it. */
const INTERRUPTED = 130;

/** `pml agent run A "message"`. */
export async function runAgent(invocation: Invocation): Promise<void> {
  const { positionals, values, terminal } = invocation;
  const [name, message, ...rest] = positionals.slice(1);
  if (name === undefined || message === undefined || rest.length > 0)
    throw new PmlError('bad_request', 'agent run needs an agent and one message. Try pml agent --help.');
  const printer = values.json || !process.stdout.isTTY ? jsonPrinter(terminal) : textPrinter(terminal);
  const abort = new AbortController();
  const unlisten = abortOnSignal(abort);
  let thread = stringOption(invocation, 'thread');
  try {
    const overrides = overridesOf(invocation);
    const { runner, engine, agent } = await openRunner(invocation, name);
    // Fails for an unusable model before a thread is begun for nothing.
    engine.chooseModel(overrides.model ?? agent.model);
    const result = await runner.run(agent, message, {
      thread,
      overrides,
      callbacks: printer.callbacks,
      abortController: abort,
      onThread: (opened) => {
        thread = opened.id;
        printer.thread(opened);
      },
    });
    printer.ended(result, thread as string);
    if (result.reason !== 'done') reportUnfinished(terminal, result.reason, resumeHint(name, thread));
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    reportFailure({ error, terminal, printer, thread, name });
  } finally {
    unlisten();
  }
}

async function openRunner(invocation: Invocation, name: string) {
  const { terminal } = invocation;
  const configFile = stringOption(invocation, 'config');
  const config = loadConfig({
    cwd: process.cwd(),
    env: process.env,
    flags: { ...(configFile !== undefined && { config: configFile }) },
  });
  const once = warnOnce(terminal);
  // The packages for models load while the daemon answers.
  const [tools, { AgentRunner, AiEngine, ClaudeEngine, resolveInjections }] = await Promise.all([
    sendAdminRequest<Record<string, string[] | null>>(once, { do: 'agent_tools', agent: name }, configFile),
    import('../../agents/index.ts'),
  ]);
  const agent = findAgent(config, name);
  const env = definedVariables(process.env);
  const threads = new RemoteThreads(once, configFile);
  const engine =
    (engineOption(invocation) ?? agent.engine) === 'claude'
      ? new ClaudeEngine({ threads, home: config.home, env })
      : new AiEngine({ threads, access: config.models, prices: config.modelPrices });
  // Naming a config file trusts it, so only one from --config is passed on; any other the servers find and check again.
  const file = configFile === undefined ? null : config.file;
  const runner = new AgentRunner({
    registry: registryOf({ ...config, file }, tools, env),
    engine,
    threads,
    resolveInjections: (context) => resolveInjections(context, { configFile: file ?? undefined, env }),
    agentDir: agentDirOf(config.home, name, { user: config.user, ...config.scope }),
    workspaceDir: config.file === null ? process.cwd() : dirname(config.file),
  });
  return { runner, engine, agent };
}

/** Builds the registry of the config, with the tools that the daemon has listed. */
function registryOf(config: Config, tools: Record<string, string[] | null>, env: Record<string, string>) {
  return buildRegistry(config, {
    env,
    catalogOf: ({ name }) => {
      const listed = Object.hasOwn(tools, name) ? tools[name] : undefined;
      return listed ? { ...NO_CATALOG, tools: listed.map((tool) => ({ name: tool })) } : undefined;
    },
  });
}

function engineOption(invocation: Invocation): 'ai' | 'claude' | undefined {
  return oneOf(invocation.values.engine, '--engine', ['ai', 'claude']);
}

function overridesOf(invocation: Invocation): { model?: string; maxSteps?: number } {
  const model = stringOption(invocation, 'model');
  const maxSteps = wholeNumber(invocation.values['max-steps'], '--max-steps', { least: 1 });
  return { ...(model !== undefined && { model }), ...(maxSteps !== undefined && { maxSteps }) };
}

/** Cancels the run on the first signal, and ends the process at once on the second. */
function abortOnSignal(abort: AbortController): () => void {
  const stop = () => {
    if (abort.signal.aborted) process.exit(INTERRUPTED);
    abort.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}

const UNFINISHED = {
  max_steps: 'The agent was stopped at the limit of steps (--max-steps).',
  length: 'The answer was cut off: the model came to the limit of its output.',
  content_filter: "The answer was stopped by the provider's filter.",
};

function reportUnfinished(terminal: Terminal, reason: keyof typeof UNFINISHED, resume: string): void {
  terminal.warn(`${UNFINISHED[reason]}\n     ${resume}`);
  process.exitCode = 1;
}

interface Failure {
  error: PmlError;
  terminal: Terminal;
  printer: RunPrinter;
  thread: string | undefined;
  name: string;
}

function reportFailure({ error, terminal, printer, thread, name }: Failure): void {
  printer.failed(error, thread);
  const hints = [error.hint, thread === undefined ? undefined : resumeHint(name, thread)];
  const hint = hints.filter((line) => line !== undefined).join('\n     ');
  terminal.warn(hint ? `${error.message}\n     ${hint}` : error.message);
  process.exitCode = error.code === 'cancelled' ? INTERRUPTED : error.code === 'bad_request' ? 2 : 1;
}

function resumeHint(agent: string, thread: string | undefined): string {
  return `The thread keeps what was said. Go on with: pml agent run ${agent} --thread ${thread} "…"`;
}

/** Requests go to the daemon one by one, and each would repeat the same notice. */
function warnOnce(terminal: Terminal): Terminal {
  const said = new Set<string>();
  return {
    ...terminal,
    warn: (text) => {
      if (!said.has(text)) terminal.warn(text);
      said.add(text);
    },
  };
}

function definedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const defined = Object.entries(env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Record<string, string>;
}
