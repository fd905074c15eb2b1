/** A daemon that is killed leaves no process behind, whatever its servers and sandboxes are doing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { allProcesses, processOf } from '../../src/reaper/process-table.js';
import { eventually, isAlive, waitForExit, waitForNoProcesses } from '../../src/testing/wait.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml, PROGRAM } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const REAPER = join(dirname(PROGRAM), '..', 'dist', 'reaper', 'main.js');
const good = fixtureServer('hostile-stdio.ts');
const pml = new Pml(
  { after },
  { mcpServers: { stubborn: fixtureServer('hostile-stdio.ts', '--stubborn'), good } },
);

/** Starts a daemon with a server that ends neither at the end of its stdin nor at SIGTERM. */
async function startStubborn(): Promise<{
  session: RawSession;
  daemon: number;
  server: number;
  reaper: number;
}> {
  await onUsualEngine(pml);
  const session = await new RawSession(pml).initialize();
  const server = Number(textOf(await session.call('stubborn:pid')));
  const daemon = (await statusOf(pml)).pid;
  return { session, daemon, server, reaper: await reaperOf(daemon) };
}

function reaperOf(daemon: number): Promise<number> {
  const isReaper = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(REAPER);
    } catch {
      // It has ended in the meantime.
      return false;
    }
  };
  return eventually(() => childrenOf(daemon).find(isReaper), 'a reaper runs') as Promise<number>;
}

function childrenOf(parent: number): number[] {
  return allProcesses().flatMap(({ pid, parent: of }) => (of === parent ? [pid] : []));
}

test('servers that ignore the end of stdin and SIGTERM end, and so does what they started', async () => {
  const { session, daemon, server, reaper } = await startStubborn();
  const grandchild = Number(textOf(await session.call('stubborn:leave_grandchild')));
  process.kill(daemon, 'SIGKILL');
  await Promise.all([server, grandchild, reaper].map((pid) => waitForExit(pid)));
  await waitForNoProcesses(pml.dir);
});

test('a killed reaper is started again', async () => {
  const { daemon, server, reaper } = await startStubborn();
  process.kill(reaper, 'SIGKILL');
  await waitForExit(reaper);
  const next = await reaperOf(daemon);
  assert.notEqual(next, reaper);
  process.kill(daemon, 'SIGKILL');
  await Promise.all([server, next].map((pid) => waitForExit(pid)));
});

test('a reaper whose daemon dies before it writes a line ends the servers it was started with', async (t) => {
  const server = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  t.after(() => server.kill('SIGKILL'));
  const pid = server.pid as number;
  const reaper = spawn(process.execPath, [REAPER, `${pid}:${processOf(pid)?.start}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  reaper.stdin.end();
  await once(reaper, 'exit');
  assert.ok(!isAlive(pid));
});

test('a sandbox that computes ends with the daemon', async () => {
  pml.configure({ mcpServers: { good } });
  const session = await new RawSession(pml).initialize();
  const daemon = (await statusOf(pml)).pid;
  session.begin('tools/call', {
    name: 'pml_execute',
    arguments: { intent: 'spin', code: 'await mcp.good.echo({ text: "x" }); for (;;);' },
  });
  // The sandbox computes after its call.
  await eventually(
    async () => textOf(await session.call('cap_stats', {})).includes('good'),
    'the call is journalled',
  );
  const children = childrenOf(daemon);
  process.kill(daemon, 'SIGKILL');
  await Promise.all(children.map((pid) => waitForExit(pid)));
});

test('a daemon that is stopped normally ends its reaper', async () => {
  await new RawSession(pml).initialize();
  const reaper = await reaperOf((await statusOf(pml)).pid);
  assert.equal((await pml.run(['down'])).code, 0);
  await waitForExit(reaper);
});

test('a process that reuses the pid of a former server is left alone', async (t) => {
  const innocent = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  t.after(() => innocent.kill('SIGKILL'));
  const reaper = spawn(process.execPath, [REAPER], { stdio: ['pipe', 'ignore', 'inherit'] });
  reaper.stdin.end(`+ ${innocent.pid} 12345\n`);
  await once(reaper, 'exit');
  assert.ok(isAlive(innocent.pid as number));
});
