import type { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { encodeFrame, type FromChild, frameReader, type ToChild } from '../protocol.ts';
import { answerQuestion } from './guest-queries.ts';
import { hardenChild } from './harden.ts';
import { type IsolatedVm, IsolatePool, isolateMaker } from './isolate-pool.ts';
import { GuestRun } from './run.ts';

/** How long V8 may take to stop a guest whose run is over, before the process is given up. */
const STOP_MS = 500;
/** How long a run may say nothing before the child says for it that it has begun. */
const BEGUN_MS = 200;

/**
 * The child: a stock of isolates, one run at a time. `guestProgram` is what makes an isolate's globals. Answers with
 * where the host's bytes go.
 */
export function runChild(guestProgram: string): (chunk: Buffer) => void {
  const { stdin } = process as { stdin: Readable };
  const die = suicide();
  const { writeSync } = process.getBuiltinModule('node:fs');
  const send = (head: FromChild, body?: string) => writeAll(writeSync, encodeFrame(head, body), die);
  // The host is gone.
  stdin.on('end', die);
  stdin.on('error', die);
  process.on('uncaughtException', (error) => {
    writeSync(STDERR, `${error.stack}\n`);
    die();
  });
  // A ctrl-C in a terminal reaches every process there; the host decides when its children end.
  process.on('SIGINT', () => {});

  let stock: IsolatePool;
  let current: GuestRun | undefined;

  function start({ addon, memoryMb }: ToChild & { type: 'start' }): void {
    const vm = loadAddon(addon);
    hardenChild();
    stock = new IsolatePool(isolateMaker(vm, guestProgram, answerQuestion), memoryMb);
    stock.fill();
    send({ type: 'ready' });
  }

  async function run(head: ToChild & { type: 'run' }, args: string): Promise<void> {
    current = new GuestRun(stock.take(head.limits.memoryMb), { ...head, args }, send);
    // The guest has a thread of its own, so this is said even while the guest computes.
    const begun = setTimeout(() => send({ type: 'begun', run: head.run }), BEGUN_MS);
    current.start();
    await current.over;
    clearTimeout(begun);
    const patience = setTimeout(die, STOP_MS);
    await current.gone;
    clearTimeout(patience);
    current = undefined;
    stock.fill();
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

/** Writes past Node's streams, which take longer than all else that the child does for a short run. */
function writeAll(write: typeof writeSync, data: Buffer, onGone: () => void): void {
  try {
    for (let at = 0; at < data.length; ) at += write(STDOUT, data, at);
  } catch {
    onGone();
  }
}

const SIGKILL = 9;

/**
 * How the child ends itself. Not by exit(), which would wait for an isolate that computes; and by what process.kill
 * is made of, since that itself must not be left for a guest to find.
 */
function suicide(): () => void {
  const { _kill: kill, pid } = process as unknown as {
    _kill(pid: number, signal: number): void;
    pid: number;
  };
  return () => kill(pid, SIGKILL);
}

function loadAddon(path: string): IsolatedVm {
  // Not require(): the loader would need to read files, and this needs none.
  const module = { exports: {} as { ivm: IsolatedVm } };
  process.dlopen(module, path);
  return module.exports.ivm;
}
