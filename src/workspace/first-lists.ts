import type { Upstream } from '../upstream/index.ts';
import { withTimeout } from '../with-timeout.ts';
import { isListed } from './server-summary.ts';

/** The first list waits this long for servers never seen before. Slower ones are announced when they are listed. */
const FIRST_LIST_MS = 3000;
/** Longer, because a person who asks what an agent can reach wants a complete answer. */
export const EXPLAINED_LIST_MS = 20_000;

/** Settles once every server that was never listed is listed or has failed to start, or after `ms`. */
export async function firstListsOf(upstreams: readonly Upstream[], ms = FIRST_LIST_MS): Promise<void> {
  const unknown = upstreams.filter((upstream) => !isListed(upstream));
  await withTimeout(Promise.all(unknown.map((upstream) => upstream.settled())), ms);
}
