import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { after } from 'node:test';
import { fixtureServer } from './pml.ts';

/** Starts the HTTP servers that flood, in a process of their own, and gives their origin. Gone after the tests. */
export async function startFloodServer(t: { after: typeof after }): Promise<string> {
  const { command, args } = fixtureServer('flood-http.ts');
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => {
    child.kill('SIGKILL');
  });
  const [origin] = await once(createInterface({ input: child.stdout }), 'line');
  return origin;
}
