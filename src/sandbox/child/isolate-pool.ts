import type ivm from 'isolated-vm';
import { type Ask, GUEST_FILE, type Receive } from '../protocol.ts';

export type IsolatedVm = typeof ivm;
export type Listener = (...message: unknown[]) => unknown;

/** An isolate with the guest's globals in place, waiting for code. */
export interface Prepared {
  isolate: ivm.Isolate;
  context: ivm.Context;
  receive: ivm.Reference<Receive>;
  /** Who hears what the guest posts. */
  listen(listener: Listener): void;
  /** Who hears that V8 itself gave up on the isolate. */
  onFatal(listener: () => void): void;
}

/** Answers with how to make an isolate. That takes milliseconds, so it is done between runs. */
export function isolateMaker(vm: IsolatedVm, guestProgram: string, ask: Ask): (memoryMb: number) => Prepared {
  let cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  /** Runs the guest's program. Only the first isolate has to compile it. */
  function install(isolate: ivm.Isolate, context: ivm.Context, post: Listener): ivm.Reference<Receive> {
    const script = isolate.compileScriptSync(guestProgram, {
      filename: GUEST_FILE,
      ...(cachedData ? { cachedData } : { produceCachedData: true }),
    });
    cachedData ??= (script as ivm.Script & ivm.CachedDataResult).cachedData;
    // Callbacks, never References: what crosses through a callback is copied, and leads to nothing.
    const ways = [
      new vm.Callback(post, { ignored: true }),
      new vm.Callback(ask as Listener),
      new vm.Callback(post),
    ];
    const made = script.runSync(context, { reference: true });
    const receive = made.applySync(undefined, ways, { result: { reference: true } });
    return receive as ivm.Reference<Receive>;
  }

  return (memoryMb) => {
    let hear: Listener = () => {};
    let doom = () => {};
    const isolate = new vm.Isolate({ memoryLimit: memoryMb, onCatastrophicError: () => doom() });
    const context = isolate.createContextSync();
    const receive = install(isolate, context, (...message) => hear(...message));
    return {
      isolate,
      context,
      receive,
      listen: (listener) => {
        hear = listener;
      },
      onFatal: (listener) => {
        doom = listener;
      },
    };
  };
}

/** How many isolates wait for runs. Each takes about a megabyte. */
const STOCK = 4;
/** A child that had nothing to do for so long uses the time. */
const IDLE_MS = 8;

/** Isolates made ahead, so that not even runs in quick succession wait for theirs. */
export class IsolatePool {
  readonly #make: (memoryMb: number) => Prepared;
  #ready: Prepared[] = [];
  #memoryMb: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(make: (memoryMb: number) => Prepared, memoryMb: number) {
    this.#make = make;
    this.#memoryMb = memoryMb;
  }

  take(memoryMb: number): Prepared {
    clearTimeout(this.#timer);
    if (memoryMb !== this.#memoryMb) {
      for (const { isolate } of this.#ready.splice(0)) isolate.dispose();
      this.#memoryMb = memoryMb;
    }
    return this.#ready.pop() ?? this.#make(memoryMb);
  }

  /** Has one isolate now, and the others when there is time. */
  fill(): void {
    if (this.#ready.length === 0) this.#add();
    if (this.#ready.length >= STOCK) return;
    this.#timer = setTimeout(() => {
      this.#add();
      this.fill();
    }, IDLE_MS);
  }

  #add(): void {
    this.#ready.push(this.#make(this.#memoryMb));
  }
}
