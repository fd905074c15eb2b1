import type { DirectoryEntry } from '../../access/index.ts';
import { isReadOnlyTool, runCodeTask } from '../../code/index.ts';
import type { ResolvedName } from '../run/resolve-names.ts';

/** The facts about a run that decide whether its code is remembered. */
export interface KeepCandidate {
  /** Its result. */
  value: unknown;
  /** The name that the caller gave it. */
  name: string | undefined;
  /** All that it called, also through capabilities. */
  called: Iterable<ResolvedName>;
}

/**
 * Explains why code is not worth remembering; undefined if it is. Code that returned nothing and changed nothing had no
 * effect: most often its `return` or an `await` is missing.
 */
export async function whyNotKeep(
  code: string,
  { value, name, called }: KeepCandidate,
): Promise<string | undefined> {
  if (value !== undefined) return undefined;
  const hasEffect = [...called].some((one) => one.kind === 'tool' && mayWrite(one.entry));
  if (hasEffect) return undefined;
  const { isEmpty, unreturned, unawaited } = await runCodeTask('findOmissions', code);
  if (isEmpty) return 'This code was not remembered: it does nothing.';
  if (name !== undefined) return undefined;
  const advice = [
    unawaited !== undefined && `Nothing waits for \`${unawaited}\`: write \`await\` before it.`,
    unreturned !== undefined && `Write \`return\` before its last value, \`${unreturned}\`.`,
  ].filter((one) => one !== false);
  const fallback =
    'End it with `return` and what the caller is to get, or give it a name to keep it as it is.';
  return `This code was not remembered: it returned nothing and called nothing that writes. ${advice.join(' ') || fallback}`;
}

function mayWrite({ own, listed: { annotations, inputSchema } }: DirectoryEntry): boolean {
  return !isReadOnlyTool({ name: own, annotations, inputSchema });
}
