import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventHub } from '../../src/http/api/events/event-hub.ts';
import { EventStreams } from '../../src/http/api/events/event-streams.ts';
import { retire } from '../../src/registry/index.ts';
import { openDb } from '../../src/store/index.ts';
import { freshDatabase } from '../../src/testing/postgres.ts';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { openStream, readEvents } from '../support/event-stream.ts';
import { type Loose, rightsServer } from '../support/gateway-bed.ts';

let api: ApiBed;
let databaseUrl: string;

before(async () => {
  databaseUrl = await freshDatabase();
  const config = { mcpServers: { desk: rightsServer('desk', ['read']) } };
  api = await openApiBed(config, { PML_DATABASE_URL: databaseUrl });
});
after(() => api.close());

/** Journals calls, by default as many as one event holds, each as long as can be. */
function flood(calls = 100): void {
  const { resources, user } = api.bed;
  const failed = { server: 'desk', tool: 'read', who: user, success: false, durationMs: 1 };
  for (let n = 1; n <= calls; n += 1)
    resources.journal.record({ ...failed, error: `${n} ${'no '.repeat(330)}` });
}

test('a reader that does not read is let go, and catches up if it missed little', async () => {
  const { gateway, user } = api.bed;
  const streams = new EventStreams();
  const open = async (lastId?: string) => readEvents(await streams.open(gateway, user, lastId));
  const slow = await streams.open(gateway, user, undefined);
  const fast = await open();
  const ids = [(await fast.until('resync')).id];
  for (let n = 0; n < 12; n += 1) {
    flood();
    ids.push((await fast.until('call')).id);
  }
  let bytes = 0;
  // The stream ends, so nothing more is kept for it.
  for await (const chunk of slow.body as ReadableStream<Uint8Array>) bytes += chunk.length;
  assert.ok(bytes > 500_000 && bytes < 1_300_000, String(bytes));
  const behind = await open(ids.at(-2));
  assert.equal((await behind.until('call')).id, ids.at(-1));
  // Only so much is kept for those who are away.
  const away = await open(ids[0]);
  assert.equal((await away.until('resync')).id, ids.at(-1));
  flood();
  const next = await away.until('call');
  assert.deepEqual([(await fast.until('call')).id, (await behind.until('call')).id], [next.id, next.id]);
  streams.close();
});

test('a flood shows its latest calls and says how many it left out', async () => {
  const stream = await openStream(api.url);
  await stream.until('resync');
  flood(350);
  const { data } = await stream.until('call');
  assert.deepEqual([data.rows.length, data.left_out], [100, 250]);
  assert.match(data.rows.at(-1).error, /^350 /);
  flood(20);
  const { data: next } = await stream.until('call');
  assert.deepEqual([next.rows.length, next.left_out], [20, 0]);
  stream.close();
});

test('a live call of a capability says which one it is', async () => {
  const client = await api.bed.connect();
  const code = 'return [await mcp.desk.read({ n: args.n }), 1];';
  const { structuredContent } = await client.execute({ code, name: 'desk:seen', args: { n: 1 } });
  const stream = await openStream(api.url);
  await stream.until('resync');
  await client.execute({ capability: 'desk:seen', args: { n: 2 } });
  const isCapability = ({ kind }: Loose) => kind === 'capability';
  const { data } = await stream.until('call', ({ rows }) => rows.some(isCapability));
  assert.equal(data.rows.find(isCapability).capability_id, structuredContent.capabilityId);
  stream.close();
});

test('a page that comes back after a time in which nobody listened reads all again', async () => {
  const hub = new EventHub(api.bed.gateway, api.bed.user);
  const texts: string[] = [];
  const add = (lastId?: string) => hub.add((text) => texts.push(text), lastId);
  const remove = await add();
  const id = /^id: (.+)$/m.exec(texts[0] ?? '')?.[1];
  remove();
  // As after a minute without readers.
  hub.close();
  flood();
  await add(id);
  hub.close();
  assert.match(texts[1] ?? '', /^event: resync$/m);
});

test('a change that another process made reaches the stream', async () => {
  const { resources, user, connect } = api.bed;
  const client = await connect();
  const { structuredContent } = await client.execute({
    code: 'return [await mcp.desk.read({ n: 1 }), 2];',
    name: 'desk:elsewhere',
  });
  const stream = await openStream(api.url);
  await stream.until('resync');
  const other = await openDb({ home: '', databaseUrl });
  await retire({ db: other, keys: resources.keys }, user, 'desk:elsewhere', 30);
  await other.close();
  const { data } = await stream.until('capability', ({ change }) => change === 'retired');
  assert.equal(data.id, structuredContent.capabilityId);
  stream.close();
});

test('a stream that cannot be opened does not keep the others from closing', async () => {
  const { gateway, user, resources } = api.bed;
  const db = await openDb({ home: '', databaseUrl });
  await db.close();
  const broken = Object.create(gateway, { resources: { value: { ...resources, db } } });
  const streams = new EventStreams();
  await assert.rejects((await streams.open(broken, user, undefined)).text());
  const open = readEvents(await streams.open(gateway, user, undefined));
  await open.until('resync');
  streams.close();
});
