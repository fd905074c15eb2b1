import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller shares, so that work which blocks for a while (starting a
 * process, say) lets requests through in between.
 */
export function nextEventLoopTurn(): Promise<unknown> {
  // Twice, because the first turn may still be the caller's own, as after a read from a stream or file.
  last = last.then(() => nextTurn()).then(() => nextTurn());
  return last;
}
