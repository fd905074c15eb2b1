import type { Caller } from '../../execute/index.ts';
import { listProposals, type Proposal } from '../../learning/index.ts';
import { seesAllCapabilities } from '../../registry/names/index.ts';
import type { Db } from '../../store/index.ts';

/** Lists the programs proposed to a principal. An agent sees only programs whose tools it may all use. */
export async function usableProposals(db: Db, { who, tools }: Caller): Promise<Proposal[]> {
  if (!seesAllCapabilities(who)) return [];
  const proposals = await listProposals(db, who);
  if (!who.grants) return proposals;
  return proposals.filter(({ tools: called }) => called.every((name) => tools.has(name)));
}
