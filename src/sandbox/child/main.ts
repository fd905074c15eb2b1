import type { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { encodeFrame, type FromChild, frameReader, type ToChild } from '../protocol.ts';
import { answerQuery } from './guest-queries.ts';
import { GuestRun } from './guest-run.ts';
import { hardenChild } from './harden.ts';
import { type IsolatedVm, IsolatePool, isolateFactory } from './isolate-pool.ts';

/** How long V8 may take to stop a guest whose run is over, before the child kills itself. */
const STOP_MS = 500;
/** After this time without another message, the child reports that the run has begun. */
const BEGUN_MS = 200;

/**
 * Runs the child: a pool of isolates, one run at a time. `guestScript` makes an isolate's globals. Returns the function
 * that reads the host's bytes.
 */
export function runChild(guestScript: string): (chunk: Buffer) => void {
  const { stdin } = process as { stdin: Readable };
  const die = selfKiller();
  const { writeSync } = process.getBuiltinModule('node:fs');
  const send = (head: FromChild, body?: string) => writeAll(writeSync, encodeFrame(head, body), die);
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

  function start({ addon, memoryMb }: ToChild & { type: 'start' }): void {
    const vm = loadAddon(addon);
    // V8 compiles functions when they are first called. The guest's are all compiled once, for V8's code cache: that
    // saves each isolate 0.5 ms and each run 0.25 ms, with a call 0.4.
    process.getBuiltinModule('node:v8').setFlagsFromString('--no-lazy');
    hardenChild();
    isolates = new IsolatePool(isolateFactory(vm, guestScript, answerQuery), memoryMb);
    isolates.fill();
    send({ type: 'ready' });
  }

  async function run(head: ToChild & { type: 'run' }, args: string): Promise<void> {
    current = new GuestRun(isolates.take(head.limits.memoryMb), { ...head, args }, send);
    // The guest has a thread of its own, so this is sent even while the guest computes.
    const begun = setTimeout(() => send({ type: 'begun', run: head.run }), BEGUN_MS);
    current.start();
    await current.ended;
    clearTimeout(begun);
    const stopTimer = setTimeout(die, STOP_MS);
    await current.stopped;
    clearTimeout(stopTimer);
    current = undefined;
    isolates.fill();
    send({ type: 'ready' });
  }

  const read = frameReader<ToChild>(() => Number.POSITIVE_INFINITY);
  return (chunk) => {
    for (const { head, body } of read(chunk)) {
      if (head.type === 'start') start(head);
      else if (head.type === 'run') run(head, body);
      else if (head.run === current?.id) current.answer(head.call, head.error, body);
    }
  };
}

const STDOUT = 1;
const STDERR = 2;

/** Bypasses Node's streams, which take longer than all else that the child does for a short run. */
function writeAll(write: typeof writeSync, data: Buffer, onGone: () => void): void {
  try {
    for (let at = 0; at < data.length; ) at += write(STDOUT, data, at);
  } catch {
    onGone();
  }
}

const SIGKILL = 9;

/**
 * Returns a function that kills the child. exit() would wait for an isolate that computes. It captures the internals of
 * process.kill, since hardenChild removes both.
 */
function selfKiller(): () => void {
  const { _kill: kill, pid } = process as unknown as {
    _kill(pid: number, signal: number): void;
    pid: number;
  };
  return () => kill(pid, SIGKILL);
}

function loadAddon(path: string): IsolatedVm {
  // dlopen rather than require(), whose loader would have to read files.
  const module = { exports: {} as { ivm: IsolatedVm } };
  process.dlopen(module, path);
  return module.exports.ivm;
}
