import assert from 'node:assert/strict';
import type { Loose, Peer } from './clients.ts';
import type { TestBed } from './test-bed.ts';

/** Calls a tool of PML's own that must succeed, and returns its structured answer. The text must say the same. */
export async function ask(peer: Peer, tool: string, input: object = {}): Promise<Loose> {
  const { structuredContent, content, isError } = await peer.call(tool, input);
  assert.equal(isError, undefined, JSON.stringify(structuredContent));
  assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  return structuredContent;
}

/** Calls a tool that must fail, and returns its error as `code: message`. */
export async function refusal(peer: Peer, tool: string, input: object = {}): Promise<string> {
  const { structuredContent, isError } = await peer.call(tool, input);
  assert.equal(isError, true, JSON.stringify(structuredContent));
  assert.equal(structuredContent.status, 'error');
  const { code, message } = structuredContent.error;
  return `${code}: ${message}`;
}

/** Connects a client of another user to the same PML. */
export function asUser(bed: TestBed, user: string, scope: Record<string, string> = {}): Promise<Peer> {
  return bed.peer('SDK v2 legacy', 'stdio', { env: { PML_USER: user, ...scope } });
}
