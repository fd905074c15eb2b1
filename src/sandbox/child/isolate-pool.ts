import type ivm from 'isolated-vm';
import { type EnterGuest, GUEST_FILE, type QueryChild } from '../protocol.ts';

export type IsolatedVm = typeof ivm;
export type GuestListener = (...message: unknown[]) => unknown;

/** A context with the guest's globals in place, waiting for code. */
export interface PreparedContext {
  context: ivm.Context;
  enter: ivm.Reference<EnterGuest>;
  /** Sets the listener for what the guest posts. */
  listen(listener: GuestListener): void;
}

/** An isolate with its first context. */
export interface PreparedIsolate extends PreparedContext {
  isolate: ivm.Isolate;
  /** Makes a further context, which shares nothing with the others but the isolate's memory limit. */
  addContext(): PreparedContext;
}

/** Returns a function that makes an isolate. That takes milliseconds, so it is done between runs. */
export function isolateFactory(
  vm: IsolatedVm,
  guestScript: string,
  queryChild: QueryChild,
): (memoryMb: number) => PreparedIsolate {
  let cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  /** Only the first isolate has to compile the guest's script. */
  function compile(isolate: ivm.Isolate): ivm.Script {
    const script = isolate.compileScriptSync(guestScript, {
      filename: GUEST_FILE,
      ...(cachedData ? { cachedData } : { produceCachedData: true }),
    });
    cachedData ??= (script as ivm.Script & ivm.CachedDataResult).cachedData;
    return script;
  }

  function prepare(isolate: ivm.Isolate, script: ivm.Script): PreparedContext {
    let onMessage: GuestListener = () => {};
    const post: GuestListener = (...message) => onMessage(...message);
    const context = isolate.createContextSync();
    // Callbacks, never References: a callback copies what passes through it, so nothing of the child is in reach.
    const callbacks = [new vm.Callback(post), new vm.Callback(queryChild as GuestListener)];
    const installGuest = script.runSync(context, { reference: true });
    const enter = installGuest.applySync(undefined, callbacks, { result: { reference: true } });
    return {
      context,
      enter: enter as ivm.Reference<EnterGuest>,
      listen: (listener) => {
        onMessage = listener;
      },
    };
  }

  return (memoryMb) => {
    // No `onCatastrophicError`: without it V8 ends the process when it gives up on the isolate; with it the thread would hang.
    const isolate = new vm.Isolate({ memoryLimit: memoryMb });
    const script = compile(isolate);
    return { isolate, ...prepare(isolate, script), addContext: () => prepare(isolate, script) };
  };
}

/** How many isolates wait for runs. Each takes about a megabyte. */
const POOL_SIZE = 4;
/** A child that is idle for this long makes another isolate. */
const IDLE_MS = 8;

/** Makes isolates ahead, so that even runs in quick succession need not wait for theirs. */
export class IsolatePool {
  readonly #make: (memoryMb: number) => PreparedIsolate;
  #ready: PreparedIsolate[] = [];
  #memoryMb: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(make: (memoryMb: number) => PreparedIsolate, memoryMb: number) {
    this.#make = make;
    this.#memoryMb = memoryMb;
  }

  take(memoryMb: number): PreparedIsolate {
    clearTimeout(this.#timer);
    if (memoryMb !== this.#memoryMb) {
      for (const { isolate } of this.#ready.splice(0)) isolate.dispose();
      this.#memoryMb = memoryMb;
    }
    return this.#ready.pop() ?? this.#make(memoryMb);
  }

  /** Makes one isolate now if there is none, and the others when the child is idle. */
  fill(): void {
    if (this.#ready.length === 0) this.#add();
    if (this.#ready.length >= POOL_SIZE) return;
    this.#timer = setTimeout(() => {
      this.#add();
      this.fill();
    }, IDLE_MS);
  }

  #add(): void {
    this.#ready.push(this.#make(this.#memoryMb));
  }
}
