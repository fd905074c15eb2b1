import type { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { isJSONRPCResponse, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import { corkUntilNextTick, LineReader } from '../../lines.ts';
import type { Reaper } from '../../reaper/index.ts';
import { invalidAnswer } from '../errors.ts';
import { Inbox } from './inbox.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';
import { PacedReader } from './paced-reader.ts';
import { readOutput } from './read-output.ts';
import { signalGroup } from './signal-group.ts';

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Each line the server prints on stderr, and each line on stdout that is not protocol. */
  onOutput: (line: string) => void;
  /** Ends the server should this process die. */
  reaper?: Pick<Reaper, 'watch'> | undefined;
}

/** A server that leaves this much unread has stopped reading. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const STOP_GRACE_MS = 2000;
const PIPE_GRACE_MS = 100;

/**
 * A server run as a child process. Unlike the SDK's own, it is its process group's leader, so that stopping it also
 * stops what it started (npx, shells); it survives garbage on stdout; and it notices an exit even while a grandchild
 * holds the pipes open.
 *
 * The SDK recognises a stdio transport by its `stderr` and `pid`, and probes such a one in place: one process, not two.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly stderr = new PassThrough();
  /** How the process ended, once it has. */
  ending: string | undefined;
  readonly #options: ProcessOptions;
  readonly #inbox = new Inbox({
    deliver: (message) => this.onmessage?.(message),
    onFull: () => this.#reader?.hold(),
    onFree: () => this.#reader?.release(),
  });
  readonly #lines = new LineReader(
    MAX_MESSAGE_BYTES,
    (line) => this.#receive(line),
    (bytes) => this.#tooLong(bytes),
  );
  #reader: PacedReader | undefined;
  #child: ChildProcess | undefined;
  #unwatch: (() => void) | undefined;
  #closed = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): Promise<void> {
    const { command, args, env, cwd, onOutput } = this.#options;
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        env,
        cwd,
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
        detached: process.platform !== 'win32',
      });
      this.#child = child;
      if (child.pid !== undefined) this.#unwatch = this.#options.reaper?.watch(child.pid);
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.ending ??= `could not be started: ${describeSpawnError(error, command, cwd)}`;
        reject(new Error(this.ending));
        this.#finish();
      });
      child.once('exit', (code, signal) => {
        this.ending ??= signal ? `was ended by ${signal}` : `exited with code ${code}`;
        // What it wrote just before it died is still in the pipe; a grandchild may hold the pipe for ever.
        setTimeout(() => this.#finish(), PIPE_GRACE_MS);
      });
      child.once('close', () => this.#finish());
      child.stdin?.on('error', (error) => this.onerror?.(error));
      if (child.stdout) this.#reader = new PacedReader(child.stdout, (piece) => this.#read(piece));
      if (child.stderr) readOutput(child.stderr, onOutput);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    // Once it has been asked to stop, what is written would neither arrive nor fail: it would wait for ever.
    if (!stdin?.writable || this.#closed) return Promise.reject(new Error('the server is not running'));
    if (stdin.writableLength > MAX_UNREAD_BYTES) return Promise.reject(this.#stopDeaf());
    this.#inbox.sent(message);
    corkUntilNextTick(stdin);
    if (stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = () => {
        stdin.off('drain', settle);
        stdin.off('close', settle);
        resolve();
      };
      stdin.on('drain', settle);
      stdin.on('close', settle);
    });
  }

  /** Asks by closing stdin, then by SIGTERM, then by SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return this.#finish();
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end();
    if (!(await within(exited, STOP_GRACE_MS))) {
      signalGroup(child, 'SIGTERM');
      if (!(await within(exited, STOP_GRACE_MS))) signalGroup(child, 'SIGKILL');
    }
    await within(exited, STOP_GRACE_MS);
    this.#finish();
  }

  /** Answers whether all that it read was asked for. */
  #read(piece: Buffer): boolean {
    const before = this.#inbox.spent;
    const empty = this.#lines.push(piece);
    if (empty > 0) this.#inbox.passOver(empty);
    return this.#inbox.spent === before;
  }

  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line);
    } catch {
      this.#reject(line);
      return;
    }
    if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) {
      this.#reject(line);
      return;
    }
    // The SDK would drop an answer it cannot read without a word, and the call would wait for its timeout.
    const unreadable = !('method' in message) && 'id' in message && !isJSONRPCResponse(message);
    this.#inbox.add(unreadable ? invalidAnswer((message as { id: unknown }).id) : message, line.length);
  }

  #reject(line: string): void {
    this.#inbox.reject(line.length);
    if (line.trim()) this.#options.onOutput(`(not protocol) ${line}`);
  }

  /** What is written to a server that reads nothing would pile up here. */
  #stopDeaf(): Error {
    this.ending ??= 'did not read what it was sent, and was stopped';
    if (this.#child) signalGroup(this.#child, 'SIGKILL');
    return new Error(this.ending);
  }

  #tooLong(bytes: number): void {
    this.onerror?.(new Error(`sent a message of more than ${MAX_MESSAGE_BYTES} bytes (${bytes})`));
    this.ending ??= 'sent a message that is too large, and was stopped';
    if (this.#child) signalGroup(this.#child, 'SIGKILL');
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox.close();
    this.#unwatch?.();
    const child = this.#child;
    // A grandchild that outlived the server would keep running unowned.
    if (child) signalGroup(child, 'SIGTERM');
    child?.stdout?.destroy();
    child?.stdin?.destroy();
    child?.stderr?.destroy();
    this.onclose?.();
  }
}

function describeSpawnError(error: NodeJS.ErrnoException, command: string, cwd: string): string {
  if (error.code === 'ENOENT') return `command not found: ${command} (or its folder ${cwd} does not exist)`;
  if (error.code === 'EACCES') return `${command} may not be executed`;
  return error.message;
}

async function within(event: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return done;
}
