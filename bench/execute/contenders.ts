import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import ivm from 'isolated-vm';
import { DEFAULT_LIMITS, openSandbox } from '../../src/sandbox/index.ts';

/** A way to run unknown code in isolation. */
export interface Contender {
  name: string;
  /** Runs `return 1`. */
  trivial(): Promise<unknown>;
  /** Runs code that makes one call out and returns its answer. */
  call(): Promise<unknown>;
  /** Runs code that returns ten megabytes. */
  large?(): Promise<unknown>;
  close?(): Promise<void>;
}

const ROWS = `Array.from({ length: 90_000 }, (_, id) => ({ id, text: 'x'.repeat(90), tags: ['a', 'b'] }))`;
const answer = async (args: unknown) => ({ got: args });

/** PML's sandbox, with the isolates it made in advance. */
export function sandboxed(processes = 8): Contender & { stats(): { pid: number | undefined }[] } {
  const sandbox = openSandbox({ processes });
  const run = async (code: string) => {
    const outcome = await sandbox.run(code, {}, (_path, args) => answer(args), DEFAULT_LIMITS);
    if (!outcome.ok) throw new Error(outcome.message);
    return outcome.value;
  };
  return {
    name: 'sandbox',
    trivial: () => run('return 1'),
    call: () => run('return await mcp.a.b({ x: 1 })'),
    large: () => run(`return ${ROWS}`),
    close: () => sandbox.close(),
    stats: () => sandbox.stats().processes,
  };
}

/** isolated-vm in this process, with a new isolate for each run. */
export const bare: Contender = {
  name: 'bare isolated-vm',
  trivial: () => inIsolate('(async () => { return 1 })()'),
  call: () =>
    inIsolate(
      `(async () => JSON.parse(await call.apply(undefined, [JSON.stringify({ x: 1 })], { result: { promise: true } })))()`,
    ),
  large: () => inIsolate(`(async () => { return ${ROWS} })()`),
};

async function inIsolate(code: string): Promise<unknown> {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = await isolate.createContext();
  const call = async (text: string) => JSON.stringify(await answer(JSON.parse(text)));
  await context.global.set('call', new ivm.Reference(call));
  const value = await context.eval(code, { promise: true, copy: true });
  isolate.dispose();
  return value;
}

/** A worker thread for each run. */
export const worker: Contender = {
  name: 'fresh worker',
  trivial: () => inWorker('return 1'),
  call: () => inWorker('return await call({ x: 1 })'),
};

async function inWorker(code: string): Promise<unknown> {
  const thread = new Worker(talking(code, "require('node:worker_threads').parentPort"), { eval: true });
  const value = await converse(thread, (message) => thread.postMessage(message));
  await thread.terminate();
  return value;
}

/** A Node process for each run. */
export const fresh: Contender = {
  name: 'fresh process',
  trivial: () => inProcess('return 1'),
  call: () => inProcess('return await call({ x: 1 })'),
};

async function inProcess(code: string): Promise<unknown> {
  const script = talking(
    code,
    '{ postMessage: (m) => process.send(m), once: (_, f) => process.once("message", f) }',
  );
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {},
  });
  const value = await converse(child, (message) => child.send(message));
  child.kill('SIGKILL');
  await once(child, 'exit');
  return value;
}

/** A script that runs code, asks for its calls over a port and posts its value. */
function talking(code: string, port: string): string {
  return `
    const port = ${port};
    const call = (args) => new Promise((resolve) => { port.once('message', resolve); port.postMessage({ call: args }); });
    (async () => { ${code} })().then((value) => port.postMessage({ value }));`;
}

type Speaker = NodeJS.EventEmitter & { on(event: 'message', listener: (message: unknown) => void): unknown };

function converse(speaker: Speaker, send: (message: object) => void): Promise<unknown> {
  return new Promise((resolve) => {
    speaker.on('message', async (message: unknown) => {
      const said = message as { call?: unknown; value?: unknown };
      if ('call' in said) send(await answer(said.call));
      else resolve(said.value);
    });
  });
}
