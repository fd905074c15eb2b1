import { noServersNotice, untrustedNotice } from '../../config/index.ts';
import { NOTHING_FITS } from '../../discovery/index.ts';
import { PmlError } from '../../errors.ts';
import { storedText } from '../../stored-texts.ts';
import type { Found } from '../../workspace/index.ts';
import { briefSignature, type DescribedResult, describeFound } from './describe-found.ts';
import { type FinderContext, searcherOf } from './finder-context.ts';
import { matchingProposals, type ProposedResult } from './matching-proposals.ts';
import { plainLine } from './suspicious-text.ts';

export interface DiscoverInput {
  intents: readonly string[];
  limit: number;
  kind?: 'tool' | 'capability' | undefined;
  server?: string | undefined;
}

export interface DiscoverAnswer {
  /** A note beside the results: that nothing fits, or how to call them. */
  message?: string;
  results: DescribedResult[];
  proposals?: ProposedResult[];
}

/** The entries that fit the intents, best first. */
export interface Findings {
  found: Found[];
  message: string | undefined;
}

/** Finds tools and capabilities by intent. */
export async function discover(context: FinderContext, input: DiscoverInput): Promise<DiscoverAnswer> {
  const { found, message } = await findFitting(context, input);
  const proposals = await matchingProposals(context, found);
  const results = await describeFound(context, found);
  return {
    ...(message !== undefined && { message }),
    results:
      input.intents.length > 1
        ? results.map((one, at) => ({ ...one, intent: found[at]?.intent ?? 0 }))
        : results,
    ...(proposals.length > 0 && { proposals }),
  };
}

/** Searches, and drops the results that do not fit. */
export async function findFitting(
  context: FinderContext,
  { intents, limit, kind, server }: DiscoverInput,
): Promise<Findings> {
  const asked = intents.map((intent) => storedText('intent', intent));
  const { found: all, isPartial } = await context.search.search(searcherOf(context), {
    ...{ intents: asked, limit, kind, server },
  });
  const found = fittingOf(all, asked.length > 1);
  const sentences = [
    ...(isPartial ? ['Not all capabilities are indexed yet: ask again in a few seconds.'] : []),
    ...stillStarting(context.startingServers(), server),
    ...unanswered(context, { asked, server }, found, all),
    ...howToCall(context, found),
  ];
  return { found, message: sentences.length > 0 ? sentences.join(' ') : undefined };
}

const MAX_STARTING = 5;

/** Names the servers whose tools could not be searched, because they are starting for the first time. */
function stillStarting(servers: readonly string[], wanted: string | undefined): string[] {
  const names = servers.filter((name) => wanted === undefined || name === wanted);
  if (names.length === 0) return [];
  const more = names.length > MAX_STARTING ? `, and ${names.length - MAX_STARTING} more` : '';
  const shown = names.slice(0, MAX_STARTING).map((name) => plainLine(name, MAX_QUOTED));
  return [`Still starting, so not searched: ${shown.join(', ')}${more}. Ask again in a few seconds.`];
}

/** Results with a lower score are dropped, even if a better one fits. */
const FLOOR = NOTHING_FITS / 2;

/** Keeps the results of each intent whose best result fits. The parts of a single intent are judged together. */
function fittingOf(all: readonly Found[], isEachJudged: boolean): Found[] {
  const best = new Map<number, number>();
  const keyOf = ({ intent }: Found) => (isEachJudged ? intent : 0);
  for (const one of all) best.set(keyOf(one), Math.max(best.get(keyOf(one)) ?? 0, one.score));
  return all.filter((one) => (best.get(keyOf(one)) ?? 0) >= NOTHING_FITS && one.score >= FLOOR);
}

const MAX_QUOTED = 60;
const MAX_NEAREST = 3;

/** Says for which intents nothing fits. */
function unanswered(
  context: FinderContext,
  { asked: intents, server }: { asked: readonly string[]; server: string | undefined },
  found: readonly Found[],
  all: readonly Found[],
): string[] {
  if (found.length === 0) return nothingFound(context, server, all);
  if (intents.length < 2) return [];
  const answered = new Set(found.flatMap(({ intent, alsoAnswers = [] }) => [intent, ...alsoAnswers]));
  const open = intents
    .filter((_, at) => !answered.has(at))
    .map((intent) => `"${plainLine(intent, MAX_QUOTED)}"`);
  return open.length > 0 ? [`Nothing fits ${open.join(', ')}.`] : [];
}

/** Says that nothing fits, or why servers could not be searched. */
function nothingFound(context: FinderContext, server: string | undefined, all: readonly Found[]): string[] {
  const { config, caller, startingServers } = context;
  const nearest = all.slice(0, MAX_NEAREST).map((one) => `\`${briefSignature(context, one)}\``);
  const nothing = `Nothing fits.${nearest.length === 0 ? '' : ` The nearest: ${nearest.join(', ')}.`}`;
  const untrusted = untrustedNotice(config);
  if (untrusted !== undefined) return [nothing, untrusted];
  if (all.length === 0) {
    const isKnown = server === undefined || config.servers.some(({ name }) => name === server);
    if (!isKnown) return [unknownServer(config, server, caller).message];
    const missing =
      server === undefined ? noServersNotice(config) : caller.whyMissing?.(`${server}:`)?.message;
    if (missing !== undefined) return [missing];
    // Whether anything fits is not known yet.
    if (startingServers().length > 0) return [];
  }
  const known = nearest.length > 0 ? 'these' : 'the tools you know';
  return [nothing, `Use other words, or write code over ${known} with pml_execute.`];
}

/** Says how to call results that are not listed as tools. */
function howToCall({ config, unlistedServers }: FinderContext, found: readonly Found[]): string[] {
  const isUnlistedTool = (one: Found) => one.kind === 'tool' && unlistedServers.has(one.tool.upstream.name);
  const hasCapability = found.some(({ kind }) => kind === 'capability');
  const ways = [
    ...(found.some(isUnlistedTool) ? ['tools in code, as their signatures show'] : []),
    ...(hasCapability && config.expose.capabilities !== 'all'
      ? ['capabilities as { capability: name, args }']
      : []),
  ];
  return ways.length > 0 ? [`Call through pml_execute: ${ways.join('; ')}.`] : [];
}

/** The error for a server that the config does not have, or has disabled. */
export function unknownServer(
  { servers, untrusted }: FinderContext['config'],
  server: string,
  { whyMissing }: FinderContext['caller'],
): PmlError {
  const why = whyMissing?.(`${server}:`);
  if (why) return why;
  const message = `There is no server "${plainLine(server, MAX_QUOTED)}".`;
  // The router adds to every error that the config is not trusted.
  if (untrusted) return new PmlError('bad_request', message);
  const names = servers.slice(0, 30).map(({ name }) => name);
  const hint = names.length > 0 ? `Servers: ${names.join(', ')}.` : 'The config has no servers.';
  return new PmlError('bad_request', message, { hint });
}
