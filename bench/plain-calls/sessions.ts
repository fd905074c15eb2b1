import { openDb } from '../../src/store/index.ts';
import { httpClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import type { Item, Tool } from './data.ts';
import type { StoredProposal } from './judge.ts';
import { RecordServer } from './record-server.ts';

/** Plays sequences of items as sessions of a real PML, whose servers answer from the record. Returns its proposals. */
export async function playSessions(
  tools: readonly Tool[],
  sessions: readonly (readonly Item[])[],
): Promise<{ calls: number; proposals: StoredProposal[] }> {
  const server = new RecordServer(tools);
  const home = new Home(await server.start());
  let calls = 0;
  try {
    const { found, stop } = await home.up();
    await untilListed(found[0] as string, tools.length);
    for (const items of sessions) {
      const client = await httpClient(found[0] as string, 'legacy');
      for (const { calls: made } of items) {
        for (const { server: name, tool, args, result = null } of made) {
          server.due = result;
          const { isError, content } = await client.request('tools/call', {
            name: `${name}:${tool}`,
            arguments: args,
          });
          if (isError) throw new Error(`${name}:${tool}: ${JSON.stringify(content)}`);
          calls += 1;
        }
      }
      // A tool of PML's own ends the sequence, as the end of the session would.
      await client.request('tools/call', { name: 'cap_list', arguments: {} });
      await client.close();
    }
    const proposals = await settledProposals(home, found[0] as string);
    await stop();
    return { calls, proposals };
  } finally {
    server.stop();
    await home.close();
  }
}

/** Waits until all tools are listed: on a busy machine servers may start later than a first list waits for them. */
async function untilListed(url: string, count: number): Promise<void> {
  const client = await httpClient(url, 'legacy');
  for (;;) {
    const { tools } = await client.request('tools/list', {});
    if (tools.filter(({ name }: { name: string }) => name.startsWith('mcp__')).length >= count) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await client.close();
}

/** Waits until no more proposals come, then reads them. */
async function settledProposals(home: Home, url: string): Promise<StoredProposal[]> {
  const client = await httpClient(url, 'legacy');
  for (let before = -1; ; ) {
    const { structuredContent } = await client.request('tools/call', { name: 'cap_stats', arguments: {} });
    if (structuredContent.proposed === before) break;
    before = structuredContent.proposed;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  await client.close();
  await home.down();
  const db = await openDb({ home: home.env.PML_HOME as string });
  try {
    const sql = 'select tools, code, occurrences, differences from call_proposals order by created_at';
    return (await db.query<StoredProposal>(sql)).rows;
  } finally {
    await db.close();
  }
}
