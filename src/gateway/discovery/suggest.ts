import type { Found } from '../../workspace/index.ts';
import { clearMatch } from './clear-match.ts';
import { type DescribedResult, describeFound } from './describe-found.ts';
import { findFitting } from './discover.ts';
import { type FinderContext, searcherOf } from './finder-context.ts';
import { matchingProposals, type ProposedResult } from './matching-proposals.ts';
import { type ReadyCall, type ReadyCallAnswer, readyCall } from './ready-call.ts';

export interface Suggestion extends DescribedResult, Partial<ReadyCallAnswer> {
  /** Why the result is suggested although its words do not match. */
  because?: string;
}

export interface SuggestAnswer {
  status: 'suggestions';
  mode: 'suggestion';
  /** The one capability that does what the intent says. */
  clear_match?: { name: string; call: ReadyCall; missing?: readonly string[] };
  message?: string;
  suggestions: Suggestion[];
  proposals?: ProposedResult[];
}

/** How many results are looked at, and how many are suggested: for each part of the intent, and in all. */
const LOOKED_AT = 10;
const FOR_EACH_PART = 4;
const MAX_SUGGESTIONS = 6;
/** Results below this share of their part's best score are left out. Capabilities save more, so they may score less. */
const FALL_OFF = { tool: 0.7, capability: 0.5 } as const;
/** How many other results are shown beside a clear match. */
const BESIDE_MATCH = 1;
/** How many suggestions, best first, come with a call that can be sent. */
const WITH_CALL = 3;
/** How many tools have their partners suggested, and how many partners are suggested in all. */
const WITH_PARTNERS = 3;
const MAX_PARTNERS = 2;

/** Suggests capabilities and tools for an intent, with calls that can be sent. */
export async function suggest(context: FinderContext, intent: string): Promise<SuggestAnswer> {
  const { found: all, message } = await findFitting(context, { intents: [intent], limit: LOOKED_AT });
  const match = clearMatch(all, intent);
  const found = match ? besideMatch(all, match) : worthSuggesting(all);
  const partners = match ? [] : await partnersOf(context, found);
  const proposals = match ? [] : await matchingProposals(context, found);
  const described = await describeFound(context, [...found, ...partners.map(({ found: one }) => one)]);
  const suggestions = described.map((one, at): Suggestion => {
    const partner = partners[at - found.length];
    if (partner) return { ...one, because: partner.because };
    return at < WITH_CALL && !match ? { ...one, ...readyCall(context, found[at] as Found, intent) } : one;
  });
  return {
    status: 'suggestions',
    mode: 'suggestion',
    ...(match && { clear_match: { name: match.capability.callName, ...readyCall(context, match, intent) } }),
    ...(message !== undefined && { message }),
    suggestions,
    ...(proposals.length > 0 && { proposals }),
  };
}

/** Keeps the best results for each part of the intent, without those whose score falls off. */
function worthSuggesting(found: readonly Found[]): Found[] {
  const best = new Map<number, number>();
  for (const { intent, score } of found) best.set(intent, Math.max(best.get(intent) ?? 0, score));
  const taken = new Map<number, number>();
  const kept = found.filter(({ kind, intent, score }) => {
    const count = taken.get(intent) ?? 0;
    if (count >= FOR_EACH_PART || score < FALL_OFF[kind] * (best.get(intent) ?? 0)) return false;
    taken.set(intent, count + 1);
    return true;
  });
  return kept.slice(0, MAX_SUGGESTIONS);
}

/** Puts the match first, and keeps the best of the others. */
function besideMatch(found: readonly Found[], match: Found): Found[] {
  return [match, ...found.filter((one) => one !== match).slice(0, BESIDE_MATCH)];
}

/** Finds tools that working capabilities use together with the best tools, but that the search did not find. */
async function partnersOf(
  context: FinderContext,
  found: readonly Found[],
): Promise<{ found: Found; because: string }[]> {
  const searcher = searcherOf(context);
  const best = found.filter((one) => one.kind === 'tool').slice(0, WITH_PARTNERS);
  const present = new Set(
    found.flatMap((one) => (one.kind === 'tool' ? [String(one.tool.listed.name)] : [])),
  );
  const partners: { found: Found; because: string }[] = [];
  for (const { tool, intent } of best) {
    for (const partner of await context.search.partnersOf(searcher, tool, MAX_PARTNERS)) {
      const name = String(partner.listed.name);
      if (present.has(name) || partners.length >= MAX_PARTNERS) continue;
      present.add(name);
      const because = `often used together with ${String(tool.listed.name)}`;
      partners.push({ found: { kind: 'tool', tool: partner, id: '', score: 0, intent }, because });
    }
  }
  return partners;
}
