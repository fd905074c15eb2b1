import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { after, TestContext } from 'node:test';
import { freePort } from '../../src/testing/postgres.ts';
import { fixtureServer, npmServer } from './pml.ts';

type Scope = Pick<TestContext, 'after'> | { after: typeof after };

/** Starts the modern fixture on HTTP, until the test ends, and returns its address. */
export async function startModernHttp(t: Scope): Promise<string> {
  const { command, args } = fixtureServer('fixture-modern.ts', 'http');
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  stopAfter(t, child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return url;
}

/** Starts server-everything on HTTP, with the newer or the older transport, and returns its origin. */
export async function startEverything(t: Scope, transport: 'streamableHttp' | 'sse'): Promise<string> {
  const { command, args } = npmServer('everything', transport);
  const port = await freePort();
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stopAfter(t, child);
  // It prints its port on stderr when it listens.
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes(String(port))) break;
  }
  child.stderr.resume();
  return `http://127.0.0.1:${port}`;
}

function stopAfter(t: Scope, child: ChildProcess): void {
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
}
