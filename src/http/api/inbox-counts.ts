import { countInbox, type InboxCounts, openTwins, type TwinPair } from '../../curation/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { Principal } from '../../principal.ts';

interface Counted {
  readonly gateway: Gateway;
  readonly who: Principal;
}

/** Finding twins among 100,000 capabilities takes a second, so their count may be a minute old. */
const TWINS_MS = 60_000;
const twinCounts = new WeakMap<Gateway, { at: number; count: number }>();

/** Counts what there is to decide in the inbox. */
export async function inboxCounts(view: Counted): Promise<InboxCounts> {
  const { gateway, who } = view;
  const { db, log } = gateway.resources;
  const known = twinCounts.get(gateway);
  // An old count is answered at once, and refreshed in the background.
  if (known && performance.now() - known.at >= TWINS_MS) {
    twinCounts.set(gateway, { ...known, at: performance.now() });
    readTwins(view).catch((error: Error) => log.warn(`twins are not counted: ${error.message}`));
  }
  const count = known ? known.count : (await readTwins(view)).length;
  return countInbox(db, who, gateway.workspace.config.lifecycle, count);
}

/** Reads the twins that can be folded, and notes how many there are. */
export async function readTwins({ gateway, who }: Counted): Promise<TwinPair[]> {
  const twins = await openTwins(gateway.resources.db, who);
  twinCounts.set(gateway, { at: performance.now(), count: twins.length });
  return twins;
}

/** Makes the next request count the twins again, after a decision about some. */
export function forgetTwins({ gateway }: Pick<Counted, 'gateway'>): void {
  twinCounts.delete(gateway);
}
