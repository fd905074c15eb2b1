import { suggestNames } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { currentAndFormerNames, retiredHint } from '../../registry/names/index.ts';
import type { FinderContext } from '../discovery/finder-context.ts';

const NOT_FOUND = 'Capability not found: ';
const COMPARED_NAMES = 2000;

/** Adds a hint to the error for an unknown capability: that it is retired, or the most similar names. */
export async function withSimilarName(
  { db, caller }: Pick<FinderContext, 'db' | 'caller'>,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof PmlError) || error.code !== 'capability_not_found' || error.hint) return error;
  const wanted = error.message.slice(NOT_FOUND.length);
  const retired = await retiredHint(db, caller.who, wanted);
  if (retired !== undefined) return new PmlError(error.code, error.message, { hint: retired, cause: error });
  const similar = suggestNames(wanted, await currentAndFormerNames(db, caller.who, COMPARED_NAMES));
  if (similar.length === 0) return error;
  const hint = `Did you mean ${similar.map((name) => `"${name}"`).join(' or ')}?`;
  return new PmlError(error.code, error.message, { hint, cause: error });
}
