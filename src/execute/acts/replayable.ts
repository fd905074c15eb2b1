import type { Callable } from '../../registry/index.ts';
import { isFqdn, nestedCallees } from '../../registry/index.ts';
import type { Recording, StoredRecording } from '../../runs/index.ts';
import type { Run } from '../run/run.ts';

/** The recordings of a capability that a caller may replay. */
export interface Replayable {
  recordings: readonly StoredRecording[];
  /** False if there are recordings that the caller may not replay. */
  isAll: boolean;
}

/**
 * Finds the recordings that a caller may replay. A replay shows what the tools answered, so an agent gets only those whose
 * calls it could have made itself: only of tools that it may use, on servers that all agents share.
 */
export async function replayableRecordings(run: Run, capability: Callable): Promise<Replayable> {
  const all = await run.recordings.of(capability);
  if (!run.who.grants) return { recordings: all, isAll: true };
  const nested = all.flatMap(({ calls }) => calls.map(({ name }) => name).filter(isFqdn));
  const calleesOf = await nestedCallees(run.db, run.who, nested);
  const toolsOf = (name: string) => (isFqdn(name) ? calleesOf(name) : [name]);
  const recordings = all.filter(({ calls }: Recording) =>
    calls.every(({ name }) => toolsOf(name)?.every((tool) => isSharedTool(run, tool)) === true),
  );
  return { recordings, isAll: recordings.length === all.length };
}

/** True for a tool that the caller may use and whose server answers all agents alike. */
function isSharedTool({ tools }: Run, name: string): boolean {
  const entry = tools.has(name) ? tools.find(name) : undefined;
  return entry !== undefined && entry.upstream.server.ofAgent !== true;
}
