import { type Config, loadConfig, untrustedNotice } from '../../config/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import { Redactor } from '../../secrets/index.ts';
import type { Catalog } from '../../upstream/index.ts';
import { VERSION } from '../../version.ts';
import type { Invocation } from '../command.ts';
import { count } from '../format-text.ts';
import { stringOption } from '../option-values.ts';
import { printable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { checkAgent, checkCapabilities, registryOf } from './check-agents.ts';
import { checkDatabase } from './check-database.ts';
import { checkEmbeddings } from './check-embeddings.ts';
import { checkServer, ServerProblem } from './check-server.ts';

/** The outcome of one check. */
interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  advice?: string | undefined;
  /** The last output of a server; not part of `--json`. */
  output?: readonly string[];
}

type Report = (finding: Finding) => void;

/** Checks Node, config, database and servers, and prints each finding as it comes. */
export async function runChecks(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const findings: Finding[] = [];
  const redactor = new Redactor();
  const report: Report = ({ check, ok, detail, advice, output = [] }) => {
    const finding = { check, ok, detail: redactor.text(detail), advice: advice && redactor.text(advice) };
    findings.push(finding);
    const printed = output.map((line) => redactor.text(line));
    if (!values.json) terminal.print(format({ ...finding, output: printed }, terminal));
  };
  report({ check: 'node', ok: true, detail: `Node ${process.versions.node}, PML ${VERSION}` });
  const config = await check('config', report, () => checkConfig(stringOption(invocation, 'config'), report));
  if (config) {
    redactor.add(config.secrets);
    await check('database', report, () => checkDatabase(config, terminal.progress));
    await check('embeddings', report, () => checkEmbeddings(config));
    await checkAgents(config, await checkServers(config, report), report);
  }
  if (values.json) terminal.print(JSON.stringify({ ok: findings.every(({ ok }) => ok), findings }));
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** Starts all servers at once, and returns the catalogs of those that started. */
async function checkServers(config: Config, report: Report): Promise<Map<string, Catalog>> {
  const catalogs = new Map<string, Catalog>();
  await Promise.all(
    config.servers.map(async (server) => {
      const catalog = await check(`server ${server.name}`, report, () => checkServer(server, config.secrets));
      if (catalog) catalogs.set(server.name, catalog);
    }),
  );
  return catalogs;
}

async function checkAgents(
  config: Config,
  catalogs: ReadonlyMap<string, Catalog>,
  report: Report,
): Promise<void> {
  const registry = registryOf(config, catalogs);
  await check('capabilities', report, () => checkCapabilities(config, registry));
  for (const name of Object.keys(config.agents))
    await check(`agent ${name}`, report, () => checkAgent(config, registry, name));
}

/** Runs one check and reports its outcome; returns undefined if it failed. */
async function check<T>(
  name: string,
  report: Report,
  run: () => Promise<{ value: T; detail: string; advice?: string }>,
): Promise<T | undefined> {
  try {
    const { value, detail, advice } = await run();
    report({ check: name, ok: true, detail, advice });
    return value;
  } catch (error) {
    const advice = error instanceof PmlError ? error.hint : undefined;
    const output = error instanceof ServerProblem ? error.output : [];
    report({ check: name, ok: false, detail: messageOf(error), advice, output });
    return undefined;
  }
}

async function checkConfig(file: string | undefined, report: Report) {
  const flags = file === undefined ? {} : { config: file };
  const config = loadConfig({ cwd: process.cwd(), env: process.env, flags });
  const notice = untrustedNotice(config);
  if (notice) report({ check: 'trust', ok: false, detail: notice, advice: adviceOnTrust(config) });
  const detail = config.file
    ? `${config.file}, ${count(config.servers.length, 'server')}`
    : 'no pml.json found';
  return { value: config, detail, ...(!config.file && { advice: 'Run `pml init` to write one.' }) };
}

/** Lists what an untrusted file would do. */
function adviceOnTrust({ untrusted }: Config): string {
  return `Read it first. It would do this:${untrusted?.lines.map((line) => `\n         ${line}`).join('')}`;
}

function format({ check, ok, detail, advice, output = [] }: Finding, terminal: Terminal): string {
  const said = output
    .map((line) => `\n       ${terminal.style('dim', `it printed: ${printable(line)}`)}`)
    .join('');
  const mark = ok ? terminal.style('green', 'ok  ') : terminal.style('red', 'FAIL');
  return `${mark} ${check.padEnd(12)} ${detail}${said}${advice ? `\n       → ${advice}` : ''}`;
}
