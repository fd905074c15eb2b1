import type { Command } from './clients.ts';
import { start } from './home.ts';

export interface Memory {
  rss: number;
  heapUsed: number;
  external: number;
}

/** A process whose memory can be measured after a garbage collection. */
export interface Inspected {
  /** The matches of the other patterns in its output. */
  found: string[];
  memory(): Promise<Memory>;
  close(): Promise<void>;
}

/** Starts a Node program with its inspector on. */
export async function inspect({ args, ...command }: Command, ...patterns: RegExp[]): Promise<Inspected> {
  const { found, stop } = await start(
    { ...command, args: ['--inspect=127.0.0.1:0', ...args] },
    /Debugger listening on (ws:\S+)/,
    ...patterns,
  );
  const [url, ...others] = found as [string, ...string[]];
  const { ask, leave } = await inspector(url);
  return {
    found: others,
    memory: async () => {
      // Twice, because the second collection frees what the first one finalised.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      const { result } = await ask('Runtime.evaluate', {
        expression: 'JSON.stringify(process.memoryUsage())',
      });
      return JSON.parse(result.value) as Memory;
    },
    close: async () => {
      leave();
      await stop();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the type of an answer depends on the inspector's method
type Ask = (method: string, params?: object) => Promise<any>;

async function inspector(url: string): Promise<{ ask: Ask; leave: () => void }> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: object) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: object };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector on ${url}`)));
  });
  let last = 0;
  const ask: Ask = (method, params = {}) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { ask, leave: () => socket.close() };
}
