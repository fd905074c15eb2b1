import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller shares, so that work which blocks for a while (starting a
 * process, say) lets requests through in between.
 */
export function nextEventLoopTurn(): Promise<unknown> {
  // The first of the two may still be in the caller's own turn: after reading from a stream or file it is.
  last = last.then(() => nextTurn()).then(() => nextTurn());
  return last;
}
