/** Servers that flood PML with messages of each kind: the daemon's memory stays flat, and other servers' calls stay quick. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { eventually } from '../../src/testing/wait.ts';
import { residentMb } from '../faults/bystander.ts';
import { FLOODS } from '../fixtures/flood-messages.ts';
import { statusOf } from '../support/daemon.ts';
import { startFloodServer } from '../support/flood-server.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

/** How long each flood lasts; a minute with `PML_EFFORT=240`. */
const FLOOD_MS = 250 * Number(process.env.PML_EFFORT ?? 1);
/** A neighbour's call below this is quick enough, however quick it is on a quiet machine. */
const QUICK_MS = 40;
/** Other work may keep the machine busy for a while, but a flood that delays others does so throughout. */
const ATTEMPTS = 20;
/** How much the daemon may grow: a full inbox, a burst, and garbage that is not collected yet. */
const MAX_GROWTH_MB = 250;
/** These kinds need an open call. */
const HELD = ['log', 'progress', 'unknown', 'request', 'large log'];

const PROCESS_KINDS = [...Object.keys(FLOODS), 'stderr', 'garbage', 'empty lines', 'endless line'];
const STREAM_KINDS = ['log', 'progress', 'list changed', 'request', 'answer', 'large log'];

const origin = await startFloodServer({ after });
const pml = new Pml({ after });
let neighbour: Client;
let session: RawSession;
let daemon: number;
let direct: Client;
let quiet: Pace;

before(async () => {
  await onUsualEngine(pml);
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
  direct = new Client({ name: 'test', version: '1' });
  await direct.connect(new StdioClientTransport(fixtureServer('hostile-stdio.ts')));
  pml.onClose(() => direct.close());
  daemon = (await statusOf(pml)).pid;
  await session.request('tools/list');
  await paceFor(300);
  quiet = await paceFor(1000);
});
interface Pace {
  /** The 95th percentile of a neighbour's calls through PML, in milliseconds. */
  calls: number;
  /** The same for direct calls to the server, without PML: it shows how busy the machine is. */
  direct: number;
}

/** Measures calls in sequence for a while. */
async function paceFor(ms: number): Promise<Pace> {
  const took = { calls: [] as number[], direct: [] as number[] };
  const timed = async (client: Client, name: string, times: number[]) => {
    const started = performance.now();
    await client.callTool({ name, arguments: { text: 'x' } });
    times.push(performance.now() - started);
  };
  const end = performance.now() + ms;
  do {
    await timed(neighbour, 'good:echo', took.calls);
    await timed(direct, 'echo', took.direct);
  } while (performance.now() < end);
  const p95 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] as number;
  return { calls: p95(took.calls), direct: p95(took.direct) };
}

/** Lets a server flood for a while, and checks the daemon against its limits. */
async function withstand(server: string, kind: string, hold: boolean): Promise<void> {
  const before = residentMb(daemon);
  // Until it is told to stop, which the deaf one does not hear.
  const args = { kind, hold, ms: (server === 'deaf' ? 2 : 20) * ATTEMPTS * FLOOD_MS };
  session.begin('tools/call', { name: `${server}:flood`, arguments: args, _meta: { progressToken: 'p' } });
  for (let attempt = 1; ; attempt++) {
    const used = cpuMs(daemon);
    const pace = await paceFor(FLOOD_MS);
    const grown = residentMb(daemon) - before;
    const busier = Math.min(Math.max(1, pace.direct / quiet.direct), 3);
    const figures =
      `p95 ${quiet.calls.toFixed(1)} → ${pace.calls.toFixed(1)} ms on a machine ${busier.toFixed(1)} times as busy, ` +
      `memory +${grown.toFixed(0)} MB, processor ${((cpuMs(daemon) - used) / (FLOOD_MS / 100)).toFixed(0)} %`;
    if (process.env.PML_EFFORT) console.log(`${server} ${kind}: ${figures}`);
    assert.ok(grown < MAX_GROWTH_MB, figures);
    if (pace.calls < 3 * Math.max(quiet.calls * busier, QUICK_MS)) break;
    assert.ok(attempt < ATTEMPTS, figures);
  }
  session.begin('tools/call', { name: `${server}:stop` });
  assert.equal((await statusOf(pml)).pid, daemon, 'the same daemon');
  session.messages.length = 0;
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

test('a server that sent an endless line was stopped, and is started again', async () => {
  // On a busy machine it takes a while before the line is too long.
  await pml.logged(/sent a message that is too large, and was stopped/);
  await eventually(
    async () => textOf(await session.call('endless_line:echo', { text: 'back' })) === 'back',
    'the server is back',
  );
});

test('a process that sends endless requests and reads no answer', () => withstand('deaf', 'ping', false));

for (const kind of STREAM_KINDS) {
  test(`a stream that answers a call and floods with: ${kind}`, () =>
    withstand(`web_${nameOf(kind)}`, kind, true));
}

for (const kind of ['log', 'list changed', 'updated']) {
  test(`a stream beside the calls that floods with: ${kind}`, () => withstand('web_answer', kind, false));
}

test('a server on the older HTTP transport that floods', () => withstand('old', 'log', false));

test('a flooding server is still connected, and the log counts its dropped lines', async () => {
  assert.equal(textOf(await session.call('stderr:echo', { text: 'still here' })), 'still here');
  // Floods again, with an empty log: the floods since the first one may have rotated its lines out of it.
  for (const file of ['pml.log', 'pml.log.old']) rmSync(join(pml.home, 'log', file), { force: true });
  session.begin('tools/call', {
    name: 'stderr:flood',
    // On a busy machine it takes a while before there are too many lines.
    arguments: { kind: 'stderr', hold: false, ms: 60_000 },
  });
  await pml.logged(/\[stderr\] \d+ lines of server "stderr" dropped/);
  session.begin('tools/call', { name: 'stderr:stop' });
});
