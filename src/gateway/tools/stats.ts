import { z } from 'zod';
import { countSuggestions } from '../../curation/index.ts';
import type { Proposal } from '../../learning/index.ts';
import { mayChangeWith } from '../../principal.ts';
import { listNameable, OFTEN } from '../../registry/curation/index.ts';
import { type Capability, resolve } from '../../registry/index.ts';
import { warnOfAlias } from '../../registry/names/index.ts';
import { sameProcedures } from '../../registry/procedures/index.ts';
import { listingOf, OWN_SERVER, type Subject, sinceWhen, statistics } from '../../registry/usage/index.ts';
import { usableProposals } from '../discovery/usable-proposals.ts';
import { READS } from './annotations.ts';
import { defineTool, type ToolContext } from './define-tool.ts';
import { spelling, text } from './input-fields.ts';
import { markUnconfigured } from './mark-unconfigured.ts';

export const statsTool = defineTool({
  name: 'cap_stats',
  title: 'Show how tools and capabilities do',
  description: 'Calls, success and latency by tool, capability and server.',
  input: z.strictObject({
    name: spelling.optional(),
    since: text(40).optional().describe('7d'),
  }),
  annotations: READS,
  run: async ({ name, since }, context) => {
    const { db, config, journal, caller } = context;
    const from = since === undefined ? undefined : sinceWhen(since);
    const { capability, ...subject } = name === undefined ? {} : await subjectOf(context, name);
    await journal.flush();
    const filter = { ...subject, since: from };
    const { servers, ...rest } = await statistics(db, caller.who, filter, config.lifecycle);
    const figures = { ...rest, servers: markUnconfigured(servers, config) };
    if (capability) return { ...figures, listing: await describeListing(context, capability) };
    if (name !== undefined) return figures;
    const proposals = await usableProposals(db, caller);
    const often = await listNameable(db, caller.who, { min_usage: OFTEN, limit: SHOWN });
    return {
      ...figures,
      proposed: proposals.length,
      proposals: proposals.slice(0, SHOWN).map(describeProposal),
      same_procedure: await sameProcedures(db, caller.who),
      often_used_unnamed: often.map(({ name, usageCount }) => ({ name, usage_count: usageCount })),
      curation: withRate(await countSuggestions(db, caller.who)),
    };
  },
});

/** Adds the share of the decided suggestions that were accepted unchanged. */
function withRate(counts: Awaited<ReturnType<typeof countSuggestions>>) {
  const decided = counts.accepted + counts.edited + counts.refused;
  const rate = decided > 0 ? Math.round((counts.accepted / decided) * 10_000) / 10_000 : null;
  return { ...counts, acceptance_rate: rate };
}

/** How many proposals and unnamed capabilities are shown, the most frequent first. */
const SHOWN = 20;

function describeProposal({ tools, code, occurrences, lastSeenAt, differences, capability }: Proposal) {
  const exact = differences === null ? 'not replayed' : differences.length === 0 ? 'exact' : 'differs';
  return {
    calls: tools.join(' → '),
    times: occurrences,
    last_seen_at: lastSeenAt.toISOString(),
    replay: exact,
    ...(capability === null ? { code } : { capability }),
  };
}

/** Says whether a capability is in this caller's list of tools, and on what evidence. */
async function describeListing(context: ToolContext, capability: Capability) {
  const { db, config } = context;
  const listing = await listingOf(db, capability.fqdn, config.lifecycle);
  const other = otherReason(context, capability);
  return {
    listed: other === undefined && listing.isListed,
    why: other ?? listing.why,
    last_used_at: listing.lastUsedAt.toISOString(),
    recent_calls: listing.recentCalls,
    recent_success_rate:
      listing.recentCalls > 0 ? Math.round(listing.recentSuccessRate * 10_000) / 10_000 : null,
    settings: config.lifecycle,
  };
}

/** Finds a reason that keeps a capability out of the list whatever the evidence. */
function otherReason({ config, caller }: ToolContext, capability: Capability): string | undefined {
  const { named, org, project, name, listedName } = capability;
  const { expose, scope } = config;
  const isNameable = mayChangeWith(caller.who, 'cap_rename');
  if (!named) return isNameable ? 'it has no name yet; cap_rename gives it one' : 'it has no name yet';
  if (org !== scope.org || project !== scope.project) return 'it lives in another scope';
  if (expose.capabilities === 'none') return 'the config lists no capabilities ("expose")';
  if (caller.tools.has(listedName) || caller.tools.has(name)) return 'a tool of a server has its name';
  return undefined;
}

async function subjectOf(
  { db, config, log, caller }: ToolContext,
  name: string,
): Promise<Subject & { capability?: Capability }> {
  const tool = caller.tools.lookup(name);
  if (tool) return { server: tool.upstream.name, tool: tool.own };
  if (config.servers.some((server) => server.name === name)) return { server: name };
  if (name === OWN_SERVER) return { server: name };
  const capability = await resolve(db, caller.who, name);
  warnOfAlias(log, capability);
  return { fqdn: capability.fqdn, capability };
}
