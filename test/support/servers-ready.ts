import { eventually } from '../../src/testing/wait.ts';
import { statusOf } from './daemon.ts';
import type { Pml } from './pml.ts';

/** `pml up`, and its address once every server of the config is connected. */
export async function upReady(pml: Pml): Promise<string> {
  const { url } = await pml.up();
  await serversReady(pml);
  return url;
}

/** Settles when every server that the daemon knows is connected, however slow the machine. */
export async function serversReady(pml: Pml): Promise<void> {
  const isReady = async () =>
    (await statusOf(pml)).workspaces.every(({ servers }) => servers.every(({ state }) => state === 'ready'));
  await eventually(isReady, 'all servers are connected', 30_000);
}
