import { eventually } from '../../src/testing/wait.ts';
import { statusOf } from './daemon.ts';
import type { Pml } from './pml.ts';
import { onUsualEngine } from './usual-engine.ts';

/** Runs `pml up`, on the engine of an everyday run unless another is named, until every server of the config is connected. */
export async function upReady(pml: Pml, onPostgres?: boolean): Promise<string> {
  await onUsualEngine(pml, onPostgres);
  const { url } = await pml.up();
  await serversReady(pml);
  return url;
}

/** Settles when every server of the daemon is connected. */
export async function serversReady(pml: Pml): Promise<void> {
  const isReady = async () =>
    (await statusOf(pml)).workspaces.every(({ servers }) => servers.every(({ state }) => state === 'ready'));
  await eventually(isReady, 'all servers are connected');
}
