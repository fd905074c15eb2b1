import { cutText } from '../../json-size.ts';
import type { Found } from '../../workspace/index.ts';
import type { FinderContext } from './finder-context.ts';
import { usableProposals } from './usable-proposals.ts';

/** A program that PML wrote from recurring calls, and that nobody has accepted yet. */
export interface ProposedResult {
  calls: string;
  times: number;
  code: string;
}

const SHOWN = 2;
const MAX_CODE = 500;

/** Finds the principal's proposals with at least two, and half, of their tools among the results. */
export async function matchingProposals(
  { db, caller }: FinderContext,
  found: readonly Found[],
): Promise<ProposedResult[]> {
  const tools = new Set(
    found.flatMap((one) => (one.kind === 'tool' ? [`${one.tool.upstream.name}:${one.tool.own}`] : [])),
  );
  if (tools.size < 2) return [];
  const proposals = await usableProposals(db, caller);
  return proposals
    .filter((one) => one.capability === null && one.differences?.length === 0)
    .filter(({ tools: called }) => isMatch(new Set(called), tools))
    .slice(0, SHOWN)
    .map(({ tools: called, occurrences, code }) => ({
      calls: called.join(' → '),
      times: occurrences,
      code: cutText(code, MAX_CODE),
    }));
}

function isMatch(called: ReadonlySet<string>, found: ReadonlySet<string>): boolean {
  const shared = [...called].filter((name) => found.has(name)).length;
  return shared >= 2 && shared >= called.size / 2;
}
