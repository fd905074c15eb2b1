import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn of the event loop ends after this time, so that requests are served in between. */
const SLICE_MS = 3;

/** Does something with every item, in turns of the event loop that stay short. */
export async function inTimeSlices<Item>(items: Iterable<Item>, act: (item: Item) => void): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (const item of items) {
    act(item);
    if (performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + SLICE_MS;
  }
}
