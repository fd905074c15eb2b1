import type { Readable, Writable } from 'node:stream';
import { encodeFrame, type FromChild, frameReader, type ToChild } from '../protocol.ts';
import { answerQuestion } from './ask.ts';
import { hardenChild } from './harden.ts';
import { GuestRun } from './run.ts';
import { type IsolatedVm, isolateMaker, type Prepared } from './stock.ts';

/** How long V8 may take to stop a guest whose run is over, before the process is given up. */
const STOP_MS = 500;

/**
 * The child: one isolate in stock, one run at a time. `guestProgram` is what makes an isolate's globals. Answers with
 * where the host's bytes go.
 */
export function runChild(guestProgram: string): (chunk: Buffer) => void {
  const { stdin, stdout, stderr } = process as { stdin: Readable; stdout: Writable; stderr: Writable };
  const die = suicide();
  const send = (head: FromChild, body?: string) => stdout.write(encodeFrame(head, body));
  // The host is gone.
  stdin.on('end', die);
  stdin.on('error', die);
  stdout.on('error', die);
  process.on('uncaughtException', (error) => {
    stderr.write(`${error.stack}\n`);
    die();
  });
  // A ctrl-C in a terminal reaches every process there; the host decides when its children end.
  process.on('SIGINT', () => {});

  let prepare: (memoryMb: number) => Prepared;
  let stock: Prepared;
  let current: GuestRun | undefined;

  function start({ addon, memoryMb }: ToChild & { type: 'start' }): void {
    const vm = loadAddon(addon);
    hardenChild();
    prepare = isolateMaker(vm, guestProgram, answerQuestion);
    stock = prepare(memoryMb);
    send({ type: 'ready' });
  }

  async function run(head: ToChild & { type: 'run' }, args: string): Promise<void> {
    const { memoryMb } = head.limits;
    if (stock.memoryMb !== memoryMb) {
      stock.isolate.dispose();
      stock = prepare(memoryMb);
    }
    current = new GuestRun(stock, { ...head, args }, send);
    current.start();
    await current.over;
    const patience = setTimeout(die, STOP_MS);
    await current.gone;
    clearTimeout(patience);
    current = undefined;
    stock = prepare(memoryMb);
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
