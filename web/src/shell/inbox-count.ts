import { signal } from '@preact/signals';
import { get } from '../api/client.ts';
import type { InboxCounts } from '../api/types.ts';

/** How much waits in the inbox, for the navigation; undefined until it was read. */
export const inboxCount = signal<number | undefined>(undefined);

export function showCounts(counts: InboxCounts): void {
  inboxCount.value = Object.values(counts).reduce((sum, one) => sum + one, 0);
}

/** Reads how much waits in the inbox. Counting takes as long as reading a view, so the view goes first. */
export async function loadCounts(): Promise<void> {
  try {
    showCounts(await get<InboxCounts>('/inbox/counts'));
  } catch {
    // The next event brings it.
  }
}
