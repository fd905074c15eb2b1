import { signal } from '@preact/signals';

/** Whether the search over everything is open. */
export const quickSearch = signal(false);
/** Whether the list of keys is open. */
export const shortcutHelp = signal(false);
