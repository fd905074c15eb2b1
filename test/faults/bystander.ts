import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { within } from '../../src/testing/wait.ts';

/** How long a bystander may wait for an answer: less than the time after which a hanging call is given up. */
export const PROMPTLY_MS = 45_000;

/** Asserts that another session still gets its answers. */
export async function assertUnharmed(client: Client, tool = 'good:echo'): Promise<void> {
  const call = client.callTool({ name: tool, arguments: { text: 'unharmed' } });
  const { content } = await within(call, PROMPTLY_MS, 'the answer to a bystander');
  assert.deepEqual(content, [{ type: 'text', text: 'unharmed' }]);
}

/** Returns the resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
