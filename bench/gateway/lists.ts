import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Command, lineClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { inTurns, median } from '../support/stats.ts';

export interface ListRow {
  tools: number;
  pages: number;
  directMs: number;
  pmlMs: number;
  ratio: number;
}

const MAX_START_MS = 60_000;

/** Times the whole list over all its pages, from the server itself and through PML. */
export async function measureLists(server: Command, tools: number, rounds: number): Promise<ListRow> {
  const home = new Home({ many: server });
  const clients: Client[] = [];
  try {
    const direct = await lineClient(server, 'legacy');
    clients.push(direct);
    const pml = await lineClient(home.command('serve'), 'legacy');
    clients.push(pml);
    await untilListed(pml, tools);
    const sides = [direct, pml].map((client) => async () => {
      const started = performance.now();
      const { listed, pages } = await listAll(client);
      if (listed !== tools) throw new Error(`${listed} of ${tools} tools were listed`);
      return { ms: performance.now() - started, pages };
    });
    await inTurns(2, sides);
    const [alone, between] = await inTurns(rounds, sides);
    const directMs = median((alone ?? []).map(({ ms }) => ms));
    const pmlMs = median((between ?? []).map(({ ms }) => ms));
    return { tools, pages: between?.[0]?.pages ?? 0, directMs, pmlMs, ratio: pmlMs / directMs };
  } finally {
    for (const client of clients) await client.close();
    await home.close();
  }
}

/** Waits until all tools are listed: on a busy machine the server may start later than a first list waits for it. */
async function untilListed(client: Client, tools: number): Promise<void> {
  const deadline = performance.now() + MAX_START_MS;
  while ((await listAll(client)).listed < tools && performance.now() < deadline) await sleep(100);
}

async function listAll(client: Client): Promise<{ listed: number; pages: number }> {
  let listed = 0;
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await client.request('tools/list', cursor === undefined ? {} : { cursor });
    // PML's own tools are listed too.
    listed += page.tools.filter(({ name }: { name: string }) => !/^(?:pml|cap)_/.test(name)).length;
    pages += 1;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { listed, pages };
}
