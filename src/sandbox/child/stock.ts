import type ivm from 'isolated-vm';
import { type Ask, GUEST_FILE, type Receive } from '../protocol.ts';

export type IsolatedVm = typeof ivm;
export type Listener = (...message: unknown[]) => unknown;

/** An isolate with the guest's globals in place, waiting for code. */
export interface Prepared {
  isolate: ivm.Isolate;
  context: ivm.Context;
  receive: ivm.Reference<Receive>;
  memoryMb: number;
  /** Who hears what the guest posts. */
  listen(listener: Listener): void;
  /** Who hears that V8 itself gave up on the isolate. */
  onDoom(listener: () => void): void;
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
      memoryMb,
      listen: (listener) => {
        hear = listener;
      },
      onDoom: (listener) => {
        doom = listener;
      },
    };
  };
}
