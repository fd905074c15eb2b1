import type { Principal } from '../../principal.ts';
import { parameterDifference } from '../../registry/curation/index.ts';
import { type Duplicate, type DuplicateGroup, findDuplicateGroups } from '../../registry/procedures/index.ts';
import type { Queryable } from '../../store/index.ts';

/** A proposal to keep one of several capabilities that do the same. */
export interface FoldProposal {
  readonly keep: string;
  readonly keepName: string;
  readonly fold: string[];
  readonly foldNames: string[];
  readonly reasoning: string;
}

const REACH = ['private', 'project', 'org', 'public'];

/** Proposes to fold each group into its best member, except members with callers, a wider reach or other parameters. */
export async function proposeFolds({ db, who }: { db: Queryable; who: Principal }): Promise<FoldProposal[]> {
  const seen = new Set<string>();
  return (await findDuplicateGroups(db, who)).flatMap(({ likeness, twins }) => {
    const [keep, ...others] = twins.filter(({ id }) => !seen.has(id));
    if (!keep) return [];
    const fold = others.filter((one) => mayFold(keep, one));
    if (fold.length === 0) return [];
    for (const { id } of [keep, ...fold]) seen.add(id);
    return {
      keep: keep.id,
      keepName: keep.name,
      fold: fold.map(({ id }) => id),
      foldNames: fold.map(({ name }) => name),
      reasoning: reasonFor(likeness, keep),
    };
  });
}

function mayFold(keep: Duplicate, other: Duplicate): boolean {
  const isSeen = REACH.indexOf(keep.visibility) >= REACH.indexOf(other.visibility);
  return other.callers === 0 && isSeen && !parameterDifference(keep.parametersSchema, other.parametersSchema);
}

function reasonFor(
  likeness: DuplicateGroup['likeness'],
  { name, usageCount, successCount }: Duplicate,
): string {
  const alike =
    likeness === 'procedure'
      ? 'They are the same procedure'
      : 'They make the same calls in the same order; compare their code first';
  return `${alike}. "${name}" is the better proven: ${successCount} of ${usageCount} calls succeeded.`;
}
