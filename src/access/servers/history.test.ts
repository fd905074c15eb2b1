import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLog } from '../../log.ts';
import { Journal } from '../../runs/index.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { historyResolver } from '../resolvers/history-resolver.ts';
import { callTool, openServer } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'pml-history-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const ana = { user: 'ana', org: 'acme', project: 'web', agent: 'analyst' };

/** Journals calls as the gateway does. */
async function journaled(db: Db, name: string, calls: { who?: object; tool: string; error?: string }[]) {
  const journal = await Journal.open(
    db,
    join(folder, `${name}-${db.engine}.jsonl`),
    openLog({ level: 'silent' }),
  );
  for (const { who, tool, error } of calls) {
    const success = error === undefined;
    journal.record({
      server: 'fs',
      tool,
      who: { ...ana, ...who },
      success,
      durationMs: 1000,
      ...(error && { error }),
    });
  }
  await journal.close();
}

onBothEngines('history finds the past runs of this agent and user, and of nobody else', async ({ db }) => {
  await journaled(db, 'own', [
    { tool: 'read_file' },
    { tool: 'write_file', error: 'the disk is full' },
    { tool: 'secret_of_ben', who: { user: 'ben' } },
    { tool: 'secret_of_writer', who: { agent: 'writer' } },
    { tool: 'secret_of_nobody', who: { agent: undefined } },
    { tool: 'secret_of_app', who: { project: 'app' } },
  ]);
  const server = await openServer(historyResolver({}), { db });
  const search = async (args: object) => {
    const { data, text } = await callTool(server, 'search_runs', args);
    assert.ok(data, text);
    return data.runs.map(({ tool }: { tool: string }) => tool);
  };
  assert.deepEqual((await search({})).sort(), ['read_file', 'write_file']);
  assert.deepEqual(await search({ query: 'secret' }), []);
  assert.deepEqual(await search({ query: 'DISK IS' }), ['write_file']);
  assert.deepEqual(await search({ query: 'fs:read' }), ['read_file']);
  assert.deepEqual(await search({ success: false }), ['write_file']);
  assert.deepEqual(await search({ since: '2999-01-01T00:00:00Z' }), []);
});

onBothEngines(
  'a run is read by its id, with the calls made meanwhile; a stranger’s run is not there',
  async ({ db }) => {
    await journaled(db, 'read', [
      { tool: 'inner' },
      { tool: 'inner_of_ben', who: { user: 'ben' } },
      { tool: 'outer' },
    ]);
    const server = await openServer(historyResolver({}), { db });
    const { data } = await callTool(server, 'search_runs', { query: 'outer' });
    const [{ id }] = data.runs;
    const read = (await callTool(server, 'read_run', { id })).data;
    assert.equal(read.run.tool, 'outer');
    assert.deepEqual(
      read.during.map(({ tool }: { tool: string }) => tool),
      ['inner'],
    );
    const { rows } = await db.query<{ id: string }>(`select id::text from tool_usage where user_id = 'ben'`);
    const [strange, missing] = await Promise.all(
      [rows[0]?.id ?? '', '00000000-0000-4000-8000-000000000000'].map(async (other) => {
        const { isError, text } = await callTool(server, 'read_run', { id: other });
        return { isError, text: text.replace(other, 'ID') };
      }),
    );
    assert.deepEqual(strange, missing);
    assert.deepEqual(strange, { isError: true, text: 'You have no run ID. search_runs finds yours.' });
    assert.ok((await callTool(server, 'read_run', { id: "' or true --" })).isError);
  },
);

onBothEngines('a long history is read in pages, each run once', async ({ db }) => {
  await journaled(
    db,
    'pages',
    Array.from({ length: 25 }, (_, at) => ({ tool: `tool_${at}` })),
  );
  const server = await openServer(historyResolver({}), { db });
  const seen: string[] = [];
  for (let before: string | undefined; ; ) {
    const { data } = await callTool(server, 'search_runs', { limit: 10, ...(before && { before }) });
    if (data.runs.length === 0) break;
    seen.push(...data.runs.map(({ tool }: { tool: string }) => tool));
    before = data.runs.at(-1).id;
  }
  assert.deepEqual(seen.sort(), Array.from({ length: 25 }, (_, at) => `tool_${at}`).sort());
});
