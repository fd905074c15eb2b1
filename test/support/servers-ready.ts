import { eventually } from '../../src/testing/wait.ts';
import { statusOf } from './daemon.ts';
import type { Pml } from './pml.ts';

/** Runs `pml up` and returns its address once every server of the config is connected. */
export async function upReady(pml: Pml): Promise<string> {
  const { url } = await pml.up();
  await serversReady(pml);
  return url;
}

/** Settles when every server of the daemon is connected. */
export async function serversReady(pml: Pml): Promise<void> {
  const isReady = async () =>
    (await statusOf(pml)).workspaces.every(({ servers }) => servers.every(({ state }) => state === 'ready'));
  await eventually(isReady, 'all servers are connected', 30_000);
}
