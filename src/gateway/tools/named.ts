import { type Capability, resolve, warnOfAlias } from '../../registry/index.ts';
import type { ToolContext } from './define.ts';

/** The capability that a caller means, with all its calls counted. */
export async function named({ workspace, caller }: ToolContext, name: string): Promise<Capability> {
  await workspace.journal.flush();
  const capability = await resolve(workspace.db, caller.who, name);
  warnOfAlias(workspace.log, capability);
  return capability;
}
