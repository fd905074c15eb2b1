/** A server that floods PML with messages of each kind: the daemon's memory stays flat, and its neighbours keep their pace. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { residentMb } from '../faults/unharmed.ts';
import { FLOODS } from '../fixtures/flood-messages.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { eventually } from '../support/wait.ts';

/** How long each flood lasts; a minute with `PML_EFFORT=120`. */
const FLOOD_MS = 500 * Number(process.env.PML_EFFORT ?? 1);
/** Below this a neighbour's call is quick enough, whatever it takes on a quiet machine. */
const QUICK_MS = 15;
/** What the daemon may grow by: a full inbox, a burst, and what the garbage collector has not come to yet. */
const MAX_GROWTH_MB = 150;
/** These need a call that is under way. */
const HELD = ['log', 'progress', 'unknown', 'request', 'large log'];

const PROCESS_KINDS = [...Object.keys(FLOODS), 'stderr', 'garbage', 'empty lines', 'endless line'];
const STREAM_KINDS = ['log', 'progress', 'list changed', 'request', 'answer', 'large log'];

const pml = new Pml({ after });
let web: ChildProcess;
let neighbour: Client;
let session: RawSession;
let daemon: number;
let quiet: number;

before(async () => {
  const { command, args } = fixtureServer('flood-http.ts');
  web = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [origin] = await once(createInterface({ input: web.stdout as NodeJS.ReadableStream }), 'line');
  const process = (...args: string[]) => fixtureServer('flood-stdio.ts', ...args);
  pml.configure({
    mcpServers: {
      good: fixtureServer('hostile-stdio.ts'),
      ...Object.fromEntries(PROCESS_KINDS.map((kind) => [nameOf(kind), process()])),
      ...Object.fromEntries(
        STREAM_KINDS.map((kind) => [
          `web_${nameOf(kind)}`,
          { type: 'http', url: `${origin}/mcp/${nameOf(kind)}` },
        ]),
      ),
      deaf: process('--deaf'),
      old: { type: 'sse', url: `${origin}/sse` },
    },
  });
  session = await new RawSession(pml).initialize();
  neighbour = await pml.stdio();
  daemon = (await statusOf(pml)).pid;
  await session.request('tools/list');
  await paceFor(300);
  quiet = await paceFor(1000);
});
after(() => {
  web.kill('SIGKILL');
});

/** The 95th percentile of a neighbour's calls, one after the other for a while. */
async function paceFor(ms: number): Promise<number> {
  const took: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const started = performance.now();
    await neighbour.callTool({ name: 'good:echo', arguments: { text: 'x' } });
    took.push(performance.now() - started);
  }
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.95)] as number;
}

/** Lets a server flood for a while, and holds the daemon to its limits. */
async function withstand(server: string, kind: string, hold: boolean): Promise<void> {
  const before = residentMb(daemon);
  const args = { kind, hold, ms: FLOOD_MS };
  session.begin('tools/call', { name: `${server}:flood`, arguments: args, _meta: { progressToken: 'p' } });
  const used = cpuMs(daemon);
  const started = performance.now();
  const pace = await paceFor(FLOOD_MS);
  const load = (cpuMs(daemon) - used) / (performance.now() - started);
  const grown = residentMb(daemon) - before;
  const figures = `p95 ${quiet.toFixed(1)} → ${pace.toFixed(1)} ms, memory +${grown.toFixed(0)} MB, load ${load.toFixed(2)}`;
  if (process.env.PML_EFFORT) console.log(`${server} ${kind}: ${figures}`);
  assert.ok(grown < MAX_GROWTH_MB, figures);
  assert.ok(pace < 3 * Math.max(quiet, QUICK_MS), figures);
  assert.equal((await statusOf(pml)).pid, daemon, 'the same daemon');
}

/** The processor time that a process has used. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function nameOf(kind: string): string {
  return kind.replace(' ', '_');
}

for (const kind of PROCESS_KINDS) {
  test(`a process that floods with: ${kind}`, () => withstand(nameOf(kind), kind, HELD.includes(kind)));
}

test('a server whose line does not end was stopped, and is started again', async () => {
  await eventually(
    async () => textOf(await session.call('endless_line:echo', { text: 'back' })) === 'back',
    'the server is back',
  );
});

test('a process that asks without end and reads no answer', () => withstand('deaf', 'ping', false));

for (const kind of STREAM_KINDS) {
  test(`a stream that answers a call and floods with: ${kind}`, () =>
    withstand(`web_${nameOf(kind)}`, kind, true));
}

for (const kind of ['log', 'list changed', 'updated']) {
  test(`a stream beside the calls that floods with: ${kind}`, () => withstand('web_answer', kind, false));
}

test('a server of the older HTTP kind that floods', () => withstand('old', 'log', false));

test('a server that floods is still there, and what it said too much is counted in the log', async () => {
  assert.equal(textOf(await session.call('stderr:echo', { text: 'still here' })), 'still here');
  const log = () => readFileSync(join(pml.home, 'log', 'pml.log'), 'utf8');
  await eventually(() => /\[stderr\] \d+ lines of server "stderr" dropped/.test(log()), 'the count');
});
