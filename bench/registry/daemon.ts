import { type Client, lineClient } from '../support/clients.ts';
import { Home, LISTENING } from '../support/home.ts';
import { inspect } from '../support/inspected.ts';
import { median } from '../support/stats.ts';
import { timed } from './names.ts';
import { ownerOf } from './shape.ts';
import type { Store } from './stores.ts';

export interface DaemonRow {
  size: number;
  /** From starting `pml serve` without a daemon to an answered `initialize`, and to a page of tools. */
  startMs: number;
  listMs: number;
  rssMb: number;
  heapMb: number;
}

/** Measures how long the daemon takes to start on a filled database, and how much memory it uses. */
export async function measureDaemon(store: Store, size: number, rounds: number): Promise<DaemonRow> {
  const home = new Home({});
  const { user, org, project } = ownerOf(0);
  Object.assign(home.env, store.env, { PML_ORG: org, PML_PROJECT: project, PML_USER: user });
  const starts: number[] = [];
  const lists: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      await home.down();
      let client: Client | undefined;
      starts.push(await timed(async () => (client = await lineClient(home.command('serve'), 'legacy'))));
      lists.push(await timed(async () => client?.request('tools/list', {})));
      await client?.close();
    }
    await home.down();
    const daemon = await inspect(home.command('up', '--port', '0'), LISTENING);
    const client = await lineClient(home.command('serve'), 'legacy');
    for (let n = 0; n < 20; n++) await client.request('tools/list', {});
    const { rss, heapUsed } = await daemon.memory();
    await client.close();
    await daemon.close();
    const mb = (bytes: number) => bytes / 1024 / 1024;
    return {
      size,
      startMs: median(starts.slice(1)),
      listMs: median(lists.slice(1)),
      rssMb: mb(rss),
      heapMb: mb(heapUsed),
    };
  } finally {
    await home.close();
  }
}
