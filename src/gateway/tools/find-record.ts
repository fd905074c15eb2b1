import { type Capability, findServer, resolve, warnOfAlias } from '../../registry/index.ts';
import type { ToolContext } from './define.ts';

/** The capability, or the server, that a caller means, with all its calls counted. */
export async function named({ workspace, caller }: ToolContext, name: string): Promise<Capability> {
  await workspace.journal.flush();
  const server = await findServer(workspace.db, caller.who, name);
  const capability = server ?? (await resolve(workspace.db, caller.who, name));
  warnOfAlias(workspace.log, capability);
  return capability;
}
