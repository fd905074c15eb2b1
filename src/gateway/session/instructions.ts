import { messageOf } from '../../errors.ts';
import { cutText } from '../../json-size.ts';
import { usesCapabilities } from '../../principal.ts';
import { listMostUsed } from '../../registry/index.ts';
import { withTimeout } from '../../with-timeout.ts';
import { type Member, partOf } from '../../workspace/index.ts';
import type { Gateway } from './gateway.ts';
import type { SessionIdentity } from './session.ts';
import { MAX_INSTRUCTIONS, noticeOf, writeInstructions } from './write-instructions.ts';

const MOST_USED = 10;
const MAX_WAIT_MS = 1000;

/** Writes the instructions for a client that connects, as things are now. */
export async function instructionsFor(
  { workspace, resources }: Gateway,
  { who: caller, agent, part }: SessionIdentity,
  member: Member | undefined,
): Promise<string> {
  const { db, log } = resources;
  const { config } = workspace;
  const who = agent?.who ?? caller;
  const servers = workspace.serversOf(agent, member);
  if (partOf({ part }) === 'server')
    return cutText(servers.find(({ name }) => name === part)?.instructions ?? '', MAX_INSTRUCTIONS);
  const reading = listMostUsed(db, who, MOST_USED, config.lifecycle).catch((error) => {
    log.warn(`cannot read the most used capabilities: ${messageOf(error)}`);
    return [];
  });
  // A client must be able to connect while the database is slow or gone.
  const most = (await withTimeout(reading, MAX_WAIT_MS)) ?? [];
  const capabilities = most
    .toSorted((a, b) => b.usageCount - a.usageCount || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  return writeInstructions({
    notice: noticeOf(config),
    servers,
    capabilities,
    usesCapabilities: usesCapabilities(who),
  });
}
