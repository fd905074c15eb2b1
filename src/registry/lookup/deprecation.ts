import type { Log } from '../../log.ts';
import type { Callable } from '../record/capability.ts';

/** Says in the log that somebody still uses a former name. */
export function warnOfAlias(log: Log, { deprecatedAlias, name }: Callable): void {
  if (deprecatedAlias === undefined) return;
  log.warn(`[WARN] Deprecated: Using alias "${deprecatedAlias}" for capability "${name}". Update your code.`);
}
