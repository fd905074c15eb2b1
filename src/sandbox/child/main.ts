import type { Readable } from 'node:stream';
import { encodeFrame, type FromChild, frameReader, type ToChild } from '../protocol.ts';
import { answerQuery } from './guest-queries.ts';
import { GuestRun } from './guest-run.ts';
import { hardenChild } from './harden.ts';
import { type IsolatedVm, IsolatePool, isolateFactory } from './isolate-pool.ts';
import { replayAll } from './replay.ts';
import { RunState } from './run-state.ts';
import { frameWriter } from './write-frames.ts';

const STDERR = 2;
const MB = 1024 * 1024;
/** Allowed beyond a run's limit: V8's own overhead, and copies of values that enter or leave the guest. */
const SPARE_MB = 256;
/** Guests get less than this thread's own 984 KB: the child's code must still run when a guest at its stack limit calls out. */
const GUEST_STACK_KB = 800;

/**
 * Runs the child: a pool of isolates, one run at a time. `guestScript` makes an isolate's globals, `watchdogScript` is the
 * body of the watchdog's thread. Returns the function that reads the host's bytes.
 */
export function runChild(guestScript: string, watchdogScript: string): (chunk: Buffer) => void {
  const { stdin } = process as { stdin: Readable };
  const die = selfKiller();
  const { writeSync } = process.getBuiltinModule('node:fs');
  const write = frameWriter(writeSync, die);
  const state = new RunState();
  // Input ends when the host is gone.
  stdin.on('end', die);
  stdin.on('error', die);
  process.on('uncaughtException', (error) => {
    writeSync(STDERR, `${error.stack}\n`);
    die();
  });
  // Ctrl-C reaches every process of a terminal, but the host decides when its children end.
  process.on('SIGINT', () => {});

  let isolates: IsolatePool;
  let current: GuestRun | undefined;
  let idleRssMb = 0;

  function send(head: FromChild, body?: string): void {
    const frame = encodeFrame(head, body);
    state.lock();
    try {
      if (head.type === 'end' || head.type === 'replayed') state.markEnded();
      write(frame);
    } finally {
      state.unlock();
    }
  }

  function getReady(): void {
    isolates.fill();
    idleRssMb = process.memoryUsage.rss() / MB;
    send({ type: 'ready' });
  }

  async function start({ addon, memoryMb }: ToChild & { type: 'start' }): Promise<void> {
    // First, because V8 rejects the code cache of Node's own modules once the flags below are set: the thread would
    // compile them anew, which takes 60 of the 290 ms of processor time that a start takes.
    await startWatchdog(watchdogScript, state, die);
    const vm = loadAddon(addon);
    // `--no-lazy` compiles the guest's functions once, into V8's code cache, instead of on their first call. It saves
    // 0.5 ms an isolate and 0.25 ms a run, 0.4 ms with a call.
    const { setFlagsFromString } = process.getBuiltinModule('node:v8');
    setFlagsFromString('--no-lazy');
    setFlagsFromString(`--stack-size=${GUEST_STACK_KB}`);
    hardenChild();
    isolates = new IsolatePool(isolateFactory(vm, guestScript, answerQuery), memoryMb);
    getReady();
  }

  function run(head: ToChild & { type: 'run' }, args: string): void {
    const { run, limits } = head;
    const prepared = isolates.take(limits.memoryMb);
    state.beginRun(run, limits, idleRssMb + 2 * limits.memoryMb + SPARE_MB);
    current = new GuestRun(prepared, { ...head, args }, send, state, () => {
      current = undefined;
      state.endRun();
      getReady();
    });
    current.start();
  }

  function replay({ run, limits }: ToChild & { type: 'replay' }, request: string): void {
    const prepared = isolates.take(limits.memoryMb);
    state.beginRun(run, limits, idleRssMb + 2 * limits.memoryMb + SPARE_MB);
    send({ type: 'replayed', run }, replayAll(prepared, JSON.parse(request), limits, state));
    if (!prepared.isolate.isDisposed) prepared.isolate.dispose();
    state.endRun();
    getReady();
  }

  const read = frameReader<ToChild>(() => Number.POSITIVE_INFINITY);
  return (chunk) => {
    for (const { head, body } of read(chunk)) {
      if (head.type === 'start') start(head);
      else if (head.type === 'run') run(head, body);
      else if (head.type === 'replay') replay(head, body);
      else if (head.run === current?.id) current.answer(head.call, head.error, body);
    }
  };
}

const SIGKILL = 9;

/**
 * Returns a function that kills the child: exit() would wait for an isolate that computes. Captures `process._kill` now,
 * because hardenChild removes `kill` and `_kill`.
 */
function selfKiller(): () => void {
  const { _kill: kill, pid } = process as unknown as {
    _kill(pid: number, signal: number): void;
    pid: number;
  };
  return () => kill(pid, SIGKILL);
}

/** Starts the thread that watches the guest, and ends the child if that thread fails. Settles when it watches. */
function startWatchdog(script: string, { cells }: RunState, die: () => void): Promise<unknown> {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };
  // The thread needs streams of its own: sharing this thread's makes them non-blocking, and writeSync would fail.
  const streams = { stdout: true, stderr: true };
  const thread = new Worker(script, { eval: true, workerData: cells, env: {}, ...streams, resourceLimits });
  thread.on('error', die);
  thread.on('exit', die);
  thread.unref();
  return new Promise((resolve) => thread.once('online', resolve));
}

function loadAddon(path: string): IsolatedVm {
  // dlopen rather than require(), whose loader would have to read files.
  const module = { exports: {} as { ivm: IsolatedVm } };
  process.dlopen(module, path);
  return module.exports.ivm;
}
