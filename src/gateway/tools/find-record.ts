import { type Capability, resolve } from '../../registry/index.ts';
import { warnOfAlias } from '../../registry/names/index.ts';
import { findServer } from '../../registry/servers/index.ts';
import type { ToolContext } from './define-tool.ts';

/** Finds the record of a capability or a server by any spelling. Its counters include all calls so far. */
export async function findRecord(context: ToolContext, name: string): Promise<Capability> {
  const { db, journal, log, caller } = context;
  await journal.flush();
  const server = await findServer(db, caller.who, name);
  const capability = server ?? (await resolve(db, caller.who, name));
  warnOfAlias(log, capability);
  return capability;
}
