import { countInbox, type InboxCounts, openTwins } from '../../curation/index.ts';
import type { View } from './view.ts';

/** To find twins among 100,000 capabilities takes a while, and nobody minds if their number is a minute old. */
const TWINS_MS = 60_000;
const twinCounts = new WeakMap<View['gateway'], { at: number; count: number }>();

/** Counts what there is to decide in the inbox. */
export async function inboxCounts({ gateway, who }: Pick<View, 'gateway' | 'who'>): Promise<InboxCounts> {
  const { db } = gateway.resources;
  const known = twinCounts.get(gateway);
  const isRecent = known !== undefined && performance.now() - known.at < TWINS_MS;
  const count = isRecent ? known.count : (await openTwins(db, who)).length;
  if (!isRecent) twinCounts.set(gateway, { at: performance.now(), count });
  return countInbox(db, who, gateway.workspace.config.lifecycle, count);
}

/** Counts the twins anew the next time, after a decision about some. */
export function forgetTwins({ gateway }: Pick<View, 'gateway'>): void {
  twinCounts.delete(gateway);
}
