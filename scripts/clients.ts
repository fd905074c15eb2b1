/**
 * Holds a whole conversation with PML through each of several clients, with a model that is only a script on loopback. The
 * clients are installed from npm into `build/clients`, never as dependencies. The observations go to `docs/clients.md`.
 * `npm run clients`, `npm run clients -- --only codex`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { CLIENTS, type ClientProgram, type Connection } from './clients/clients.ts';
import { CANCELS, Conversation, type Observation } from './clients/conversation.ts';
import { startStandIn } from './clients/mock-model.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'bin', 'pml.js');
const PAGE = join(ROOT, 'docs', 'clients.md');
const MAX_MS = 180_000;
const CANCEL_MS = 30_000;
/** A dash means that the client does not do it. */
const MARKS = new Map([
  [true, 'ok'],
  [false, '**no**'],
  [undefined, '–'],
]);
const TRANSPORTS = ['stdio', 'HTTP'] as const;

interface Report {
  client: ClientProgram;
  transport: (typeof TRANSPORTS)[number];
  observations: Observation[];
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' } },
});
const picked = CLIENTS.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
const reports: Report[] = [];
for (const client of picked) {
  const programs = await install(client);
  for (const transport of TRANSPORTS) {
    const observations = await converse(client, programs, transport);
    reports.push({ client, transport, observations });
    console.log(`\n${client.name} ${client.version} on ${transport}`);
    for (const { what, isOk, seen } of observations) console.log(`  ${MARKS.get(isOk)} ${what}: ${seen}`);
  }
}
if (picked.length === CLIENTS.length) writePage(reports);
process.exitCode = reports.some(({ observations }) => observations.some(({ isOk }) => isOk === false))
  ? 1
  : 0;

/** Installs a client into a folder of its own, and returns the folder of its programs. */
async function install({ package: name, version }: ClientProgram): Promise<string> {
  const folder = join(ROOT, 'build', 'clients', `${name.replaceAll(/\W+/g, '-')}-${version}`);
  const programs = join(folder, 'node_modules', '.bin');
  if (existsSync(programs)) return programs;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], {
    cwd: folder,
  });
  return programs;
}

async function converse(
  client: ClientProgram,
  programs: string,
  transport: Report['transport'],
): Promise<Observation[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-client-')));
  const env = {
    HOME: folder,
    PML_HOME: join(folder, 'pml'),
    PATH: `${programs}${delimiter}${process.env.PATH}`,
  };
  const pml = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
    return stdout;
  };
  const run = (code: string) => {
    const file = join(folder, 'code.ts');
    writeFileSync(file, code);
    return pml('exec', '--intent', 'look', '--no-remember', '--timeout', '60000', file);
  };
  writeFileSync(join(folder, 'pml.json'), JSON.stringify({ mcpServers: servers(folder) }));
  await pml('trust');
  const up = spawn(process.execPath, [PROGRAM, 'up', '--port', '0'], { cwd: folder, env });
  const url = await addressOf(up.stdout);
  const abort = new AbortController();
  const conversation = new Conversation({ folder, pml, run, interrupt: () => abort.abort() });
  const model = await startStandIn((turn) => conversation.reply(turn));
  try {
    const stdio = { command: process.execPath, args: [PROGRAM, 'serve'], env: { PML_HOME: env.PML_HOME } };
    const connection: Connection = transport === 'HTTP' ? { url: `${url}/mcp` } : stdio;
    const start = client.prepare(folder, connection, model.url);
    const child = spawn(start.command, start.args, {
      ...{ cwd: folder, env: { ...env, ...start.env }, stdio: ['ignore', 'pipe', 'pipe'] },
      detached: true,
    });
    abort.signal.addEventListener('abort', () => end(child.pid));
    const said = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    const timer = setTimeout(() => end(child.pid), MAX_MS);
    await once(child, 'close');
    clearTimeout(timer);
    const cancelled = await isCancelled(run, abort.signal.aborted);
    conversation.observations.push(cancelled);
    if (!abort.signal.aborted) console.error((await said).join('\n').slice(-3000));
    return conversation.observations;
  } finally {
    model.close();
    up.kill('SIGINT');
    await once(up, 'close');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends the client and whatever it started, as a terminal does on ctrl-C. */
function end(pid: number | undefined): void {
  if (pid) process.kill(-pid, 'SIGINT');
  setTimeout(() => {
    try {
      if (pid) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }, 5000).unref();
}

async function isCancelled(run: (code: string) => Promise<string>, hung: boolean): Promise<Observation> {
  const what = CANCELS;
  if (!hung) return { what, isOk: false, seen: 'the conversation ended before' };
  const told = run('return await mcp.desk.cancelled({ key: "k" })').then(
    () => true,
    () => false,
  );
  const isOk = await Promise.race([
    told,
    new Promise<boolean>((resolve) => setTimeout(resolve, CANCEL_MS, false)),
  ]);
  return { what, isOk, seen: isOk ? 'the server was told' : 'the server was not told' };
}

function servers(folder: string): object {
  const require = createRequire(import.meta.url);
  const program = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [join(dirname(require.resolve(`${name}/package.json`)), 'dist', 'index.js'), ...args],
  });
  return {
    everything: program('@modelcontextprotocol/server-everything'),
    files: program('@modelcontextprotocol/server-filesystem', folder),
    desk: { command: process.execPath, args: [join(ROOT, 'test', 'fixtures', 'fixture-legacy.ts')] },
  };
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const found = /MCP gateway\s+(\S+)\/mcp/.exec(text);
    if (found?.[1]) return found[1];
  }
  throw new Error(`pml up ended: ${text}`);
}

async function textOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of output) text += chunk;
  return text;
}

/** Replaces the part of the page below its mark. */
function writePage(all: readonly Report[]): void {
  const mark = '<!-- written by npm run clients -->';
  const [head = ''] = readFileSync(PAGE, 'utf8').split(mark);
  const parts = all.map(({ client, transport, observations }) =>
    [
      `## ${client.name} ${client.version}, ${transport}\n`,
      '| | | seen |\n|---|---|---|',
      ...observations.map(({ what, isOk, seen }) => `| ${MARKS.get(isOk)} | ${what} | ${cell(seen)} |`),
    ].join('\n'),
  );
  writeFileSync(PAGE, `${head}${mark}\n\n${parts.join('\n\n')}\n`);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('`', "'");
}
