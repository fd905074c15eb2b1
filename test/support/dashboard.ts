import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { npmServer, type Pml } from './pml.ts';
import { serversReady } from './servers-ready.ts';
import { onUsualEngine } from './usual-engine.ts';

/** A gateway with real servers, and a client that works through it. */
export interface Gateway {
  pml: Pml;
  url: string;
  client: Client;
  /** A folder that the filesystem server may read and write. */
  files: string;
  stop: () => Promise<unknown>;
}

/** Starts PML with the official servers, and a folder of files. */
export async function startGateway(pml: Pml, settings: object = {}): Promise<Gateway> {
  const files = join(pml.dir, 'files');
  mkdirSync(files);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(files, name), text);
  pml.configure({
    mcpServers: {
      filesystem: npmServer('filesystem', files),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(pml.dir, 'memory.json') } },
      everything: npmServer('everything'),
    },
    ...settings,
  });
  await onUsualEngine(pml);
  const { url, stop } = await pml.up();
  const client = await pml.http(url);
  await serversReady(pml);
  return { pml, url, client, files, stop };
}

const FILES = {
  'orders.csv': 'id,total\n1,20\n2,35\n3,12\n',
  'notes.md': '# Notes\n\nAsk Ana about the invoices.\n',
  'people.json': JSON.stringify([
    { name: 'Ana', role: 'engineer' },
    { name: 'Bo', role: 'designer' },
  ]),
};

/** The answer of pml_execute, as far as tests look into it. */
export interface Executed {
  status: string;
  capabilityId?: string;
  capabilityName?: string;
  result?: unknown;
}

export async function execute(client: Client, input: Record<string, unknown>): Promise<Executed> {
  const answer = await client.callTool({ name: 'pml_execute', arguments: input });
  return answer.structuredContent as unknown as Executed;
}

/** Runs programs over the servers, so that every view has something to show: named, unnamed, failed, parallel, cached. */
export async function fillHome({ client, files }: Gateway): Promise<{ named: string; unnamed: string }> {
  const named = await execute(client, {
    intent: 'add up the sizes of all files in a folder',
    name: 'files:sum_sizes',
    code: SUM_SIZES,
    args: { folder: files },
  });
  const unnamed = await execute(client, {
    intent: 'count the lines of a text file',
    code: COUNT_LINES,
    args: { path: join(files, 'orders.csv') },
  });
  await execute(client, {
    intent: 'remember who works here',
    name: 'people:remember',
    code: REMEMBER_PEOPLE,
    args: { path: join(files, 'people.json') },
  });
  for (const { status } of [named, unnamed]) assert.equal(status, 'success');
  for (let run = 0; run < 4; run++) {
    await client.callTool({ name: 'files:sum_sizes', arguments: { folder: files } });
  }
  await execute(client, { intent: 'read a file that is not there', code: FAILS }).catch(() => {});
  await client.callTool({ name: 'everything:echo', arguments: { message: 'hello' } });
  return { named: named.capabilityId as string, unnamed: unnamed.capabilityId as string };
}

const SUM_SIZES = `const listing = await mcp.filesystem.list_directory({ path: args.folder });
const names = String(listing.content ?? listing).split('\\n').map((line) => line.replace(/^\\[\\w+\\] /, '')).filter(Boolean);
const infos = await Promise.all(names.map((name) => mcp.filesystem.get_file_info({ path: args.folder + '/' + name })));
const sizes = infos.map((info) => Number(/size: (\\d+)/.exec(String(info.content ?? info))?.[1] ?? 0));
console.log('read', names.length, 'files');
return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };`;

const COUNT_LINES = `const file = await mcp.filesystem.read_text_file({ path: args.path });
return { lines: String(file.content ?? file).split('\\n').length };`;

const REMEMBER_PEOPLE = `const file = await mcp.filesystem.read_text_file({ path: args.path });
const people = JSON.parse(String(file.content ?? file));
await mcp.memory.create_entities({
  entities: people.map(({ name, role }) => ({ name, entityType: 'person', observations: [role] })),
});
return people.length;`;

const FAILS = `const first = await mcp.everything.echo({ message: 'before' });
const file = await mcp.filesystem.read_text_file({ path: '/nowhere/missing.txt' });
return [first, file];`;
