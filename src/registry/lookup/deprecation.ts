import type { Log } from '../../log.ts';
import type { Callable } from '../record/capability.ts';

/** Warns in the log that a capability was called by a former name. */
export function warnOfAlias(log: Log, { deprecatedAlias, name }: Callable): void {
  if (deprecatedAlias === undefined) return;
  log.warn(`[WARN] Deprecated: Using alias "${deprecatedAlias}" for capability "${name}". Update your code.`);
}
