import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { within } from '../../src/testing/wait.ts';
import { type Pml, PROGRAM } from './pml.ts';

/** A message off the wire, not validated. */
export interface Wire {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export interface RawOptions {
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  /** Another copy of bin/pml.js. */
  program?: string;
  /** Another Node than the one that runs the tests. */
  node?: string;
}

/** Twenty sessions that start at once on a busy machine take more than half a minute. Only a fault takes this long. */
const MAX_WAIT_MS = 120_000;

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

/** Drives `pml serve` by hand: sends any bytes, and shows each message as it came. */
export class RawSession {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** The exit code of the process, its stderr, and the messages not received yet. */
  readonly ended: Promise<{ code: number | null; stderr: string; messages: Wire[] }>;
  /** Messages that arrived and were not received yet. */
  readonly messages: Wire[] = [];
  stderr = '';
  #waiting: { fits: (message: Wire) => boolean; resolve: (message: Wire) => void }[] = [];
  #nextId = 1;
  #partialLine: string[] = [];

  constructor(pml: Pml, options: RawOptions = {}) {
    const { args = [], env = {}, cwd = pml.dir, program = PROGRAM, node = process.execPath } = options;
    this.child = spawn(node, [program, 'serve', ...args], {
      cwd,
      env: { ...pml.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin.on('error', () => {});
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => resolve({ code, stderr: this.stderr, messages: this.messages }));
    });
    pml.onClose(async () => {
      this.child.kill('SIGKILL');
      await this.ended;
    });
  }

  write(bytes: string | Buffer): void {
    this.child.stdin.write(bytes);
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Returns the first message that fits, arrived or yet to come, and removes it. */
  receive(fits: (message: Wire) => boolean, what = 'a message'): Promise<Wire> {
    const at = this.messages.findIndex(fits);
    if (at !== -1) return Promise.resolve(this.messages.splice(at, 1)[0] as Wire);
    const { promise, resolve } = Promise.withResolvers<Wire>();
    this.#waiting.push({ fits, resolve });
    const early = this.ended.then(({ code, stderr }) => {
      throw new Error(`pml serve ended (${code}) before ${what} came: ${stderr}`);
    });
    return within(Promise.race([promise, early]), MAX_WAIT_MS, what);
  }

  /** Sends a request and returns its id, for `answerTo`. */
  begin(method: string, params: object = {}): number {
    const id = this.#nextId++;
    this.send({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  answerTo(id: unknown): Promise<Wire> {
    return this.receive((message) => message.id === id && !message.method, `the answer to ${id}`);
  }

  request(method: string, params: object = {}): Promise<Wire> {
    return this.answerTo(this.begin(method, params));
  }

  call(name: string, args: object = {}): Promise<Wire> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** Initializes as an older client. */
  async initialize(): Promise<this> {
    await this.request('initialize', INITIALIZE);
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  #read(text: string): void {
    const [first, ...more] = text.split('\n');
    this.#partialLine.push(first as string);
    for (const next of more) {
      this.#deliver(JSON.parse(this.#partialLine.join('')) as Wire);
      this.#partialLine = [next];
    }
  }

  #deliver(message: Wire): void {
    const at = this.#waiting.findIndex(({ fits }) => fits(message));
    if (at === -1) this.messages.push(message);
    else this.#waiting.splice(at, 1)[0]?.resolve(message);
  }
}

/** Returns the text of a tool's answer, which is a result or an error. */
export function textOf(answer: Wire): string {
  if (answer.error) return answer.error.message;
  const content = (answer.result?.content ?? []) as { text?: string }[];
  return content.map(({ text }) => text ?? '').join('');
}
