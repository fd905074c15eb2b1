import { signal } from '@preact/signals';
import type { InboxCounts } from '../api/types.ts';

/** How much waits in the inbox, for the navigation; undefined until it was read. */
export const inboxCount = signal<number | undefined>(undefined);

export function showCounts(counts: InboxCounts): void {
  inboxCount.value = Object.values(counts).reduce((sum, one) => sum + one, 0);
}
