import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { after } from 'node:test';
import { fixtureServer } from './pml.ts';

/** Starts the flooding HTTP servers in a process of their own, until the tests end, and returns their origin. */
export async function startFloodServer(t: { after: typeof after }): Promise<string> {
  const { command, args } = fixtureServer('flood-http.ts');
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => {
    child.kill('SIGKILL');
  });
  const [origin] = await once(createInterface({ input: child.stdout }), 'line');
  return origin;
}
