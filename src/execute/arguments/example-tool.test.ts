import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DirectoryEntry, NameIndex } from '../../access/index.ts';
import { ana } from '../../registry/testing.ts';
import { Redactor } from '../../secrets/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import { insteadOfGlobal } from './example-tool.ts';

/** A caller who has these tools, by name and parameters. */
function callerWith(tools: Record<string, string[]>) {
  const upstream = { name: 'web', server: {} } as Upstream;
  const entries = Object.entries(tools).map(([own, parameters]): DirectoryEntry => {
    const properties = Object.fromEntries(parameters.map((name) => [name, { type: 'string' }]));
    const inputSchema = { type: 'object', properties, required: parameters };
    return { own, upstream, listed: { name: own, inputSchema } };
  });
  return { who: ana, redactor: new Redactor(), tools: new NameIndex('tool', entries) };
}

test('a global that the sandbox lacks is replaced by a tool that takes what it took', () => {
  const caller = callerWith({ 'trigger-elicitation-request': [], download_page: ['url'], list_files: [] });
  assert.equal(
    insteadOfGlobal(caller, 'fetch'),
    'For example `await mcp.web.download_page({ url: "<url>" })`.',
  );
  assert.match(String(insteadOfGlobal(caller, 'Deno')), /^No tool here reads files: take the content/);
  assert.equal(insteadOfGlobal(caller, 'process'), undefined);
});

test('no tool is proposed because its name resembles the one of a global', () => {
  const caller = callerWith({ 'trigger-elicitation-request': [], fetch_all_rows: ['table'] });
  assert.match(String(insteadOfGlobal(caller, 'fetch')), /^No tool here requests addresses: take the data/);
});
