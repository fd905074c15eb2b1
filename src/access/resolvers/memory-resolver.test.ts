import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { callTool, openServer } from '../servers/testing.ts';
import { memoryResolver } from './memory-resolver.ts';

const agentDir = mkdtempSync(join(tmpdir(), 'pml-memory-'));
after(() => rmSync(agentDir, { recursive: true, force: true }));

test('memory declares the tools of its server, and loses nothing that is written at once', async () => {
  const server = await openServer(memoryResolver({}), { agentDir });
  const listed = server.catalog.tools.map(({ name, title, description }) => ({
    key: name,
    name: title,
    description,
  }));
  assert.deepEqual(memoryResolver({}).tools, listed);
  const names = Array.from({ length: 12 }, (_, at) => `entity ${at}`);
  await Promise.all(
    names.map((name) =>
      callTool(server, 'create_entities', { entities: [{ name, entityType: 'thing', observations: [] }] }),
    ),
  );
  const { data } = await callTool(server, 'read_graph', {});
  assert.deepEqual(data.entities.map(({ name }: { name: string }) => name).sort(), [...names].sort());
});
