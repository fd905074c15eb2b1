import type { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { isJSONRPCResponse, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import { isJsonObject } from '../../json.ts';
import { corkForThisTurn, LineReader, onceDrained } from '../../lines.ts';
import type { Reaper } from '../../reaper/index.ts';
import { invalidAnswer } from './invalid-answer.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';
import { MessageThrottle } from './message-throttle.ts';
import { PacedReader } from './paced-reader.ts';
import { signalGroup } from './signal-group.ts';
import { readStderr } from './stderr-reader.ts';
import { StdioCalls } from './stdio-calls.ts';

export interface ProcessTransportOptions {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Called with each line on stderr, and each line on stdout that is no protocol message. */
  onOutput: (line: string) => void;
  /** Ends the server should this process die. */
  reaper?: Pick<Reaper, 'watch'> | undefined;
}

/** A server that leaves this much input unread has stopped reading. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const STOP_GRACE_MS = 2000;
const PIPE_GRACE_MS = 100;

/**
 * Runs a server as a child process. Unlike the SDK's own transport, it makes the server leader of its process group, so
 * that stopping it also stops what it started (npx, shells); it survives garbage on stdout; and it notices an exit even
 * while a grandchild holds the pipes open.
 *
 * The SDK recognises a stdio transport by its `stderr` and `pid`, and then probes in place: one process, not two.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly stderr = new PassThrough();
  /** How the process ended, once it has. */
  closeReason: string | undefined;
  /** Calls of a server of the older era, below the SDK. */
  readonly calls = new StdioCalls((message) => this.send(message));
  readonly #options: ProcessTransportOptions;
  readonly #throttle = new MessageThrottle({
    deliver: (message) => {
      if (!this.calls.take(message)) this.onmessage?.(message);
    },
    onFull: () => this.#reader?.pause(),
    onFree: () => this.#reader?.resume(),
  });
  readonly #lines = new LineReader(
    MAX_MESSAGE_BYTES,
    (line) => this.#receive(line),
    (bytes) => this.#stopOversized(bytes),
  );
  #reader: PacedReader | undefined;
  #child: ChildProcess | undefined;
  /** All writes wait together while stdin is full: removing a listener for each takes quadratic time. */
  #drained: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;
  #closed = false;

  constructor(options: ProcessTransportOptions) {
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
        this.closeReason ??= `could not be started: ${describeSpawnError(error, command, cwd)}`;
        reject(new Error(this.closeReason));
        this.#finish();
      });
      child.once('exit', (code, signal) => {
        this.closeReason ??= signal ? `was ended by ${signal}` : `exited with code ${code}`;
        // Its last output is still in the pipe, but a grandchild may hold the pipe open for ever.
        setTimeout(() => this.#finish(), PIPE_GRACE_MS);
      });
      child.once('close', () => this.#finish());
      child.stdin?.on('error', (error) => this.onerror?.(error));
      if (child.stdout) this.#reader = new PacedReader(child.stdout, (piece) => this.#read(piece));
      if (child.stderr) readStderr(child.stderr, onOutput);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    // After the stop a write would neither arrive nor fail: it would wait for ever.
    if (!stdin?.writable || this.#closed) return Promise.reject(new Error('the server is not running'));
    if (stdin.writableLength > MAX_UNREAD_BYTES) return Promise.reject(this.#stopNotReading());
    this.#throttle.sent(message);
    corkForThisTurn(stdin);
    if (stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    this.#drained ??= new Promise((resolve) => {
      onceDrained(stdin, () => {
        this.#drained = undefined;
        resolve();
      });
    });
    return this.#drained;
  }

  /** Closes stdin, then sends SIGTERM, then SIGKILL. */
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

  /** Returns whether it read requested messages only. */
  #read(piece: Buffer): boolean {
    const before = this.#throttle.spent;
    const empty = this.#lines.push(piece);
    if (empty > 0) this.#throttle.countEmptyLines(empty);
    return this.#throttle.spent === before;
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
    const isInvalid =
      !('method' in message) && 'id' in message && !isPlainResult(message) && !isJSONRPCResponse(message);
    this.#throttle.add(isInvalid ? invalidAnswer((message as { id: unknown }).id) : message, line.length);
  }

  #reject(line: string): void {
    this.#throttle.countInvalidLine(line.length);
    if (line.trim()) this.#options.onOutput(`(not protocol) ${line}`);
  }

  /** Stops a server that does not read: its input would pile up in memory. */
  #stopNotReading(): Error {
    this.closeReason ??= 'did not read what it was sent, and was stopped';
    if (this.#child) signalGroup(this.#child, 'SIGKILL');
    return new Error(this.closeReason);
  }

  #stopOversized(bytes: number): void {
    this.onerror?.(new Error(`sent a message of more than ${MAX_MESSAGE_BYTES} bytes (${bytes})`));
    this.closeReason ??= 'sent a message that is too large, and was stopped';
    if (this.#child) signalGroup(this.#child, 'SIGKILL');
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#throttle.close();
    this.calls.close();
    this.#unwatch?.();
    const child = this.#child;
    // Stops grandchildren that outlived the server.
    if (child) signalGroup(child, 'SIGTERM');
    child?.stdout?.destroy();
    child?.stdin?.destroy();
    child?.stderr?.destroy();
    this.onclose?.();
  }
}

/** Finds most valid results much faster than the SDK's schemas, which decide on all others. */
function isPlainResult(message: JSONRPCMessage): boolean {
  const { jsonrpc, id, result } = message as { jsonrpc: unknown; id?: unknown; result?: unknown };
  const isResult = isJsonObject(result) && result._meta === undefined && Number.isSafeInteger(id);
  return isResult && jsonrpc === '2.0' && Object.keys(message).length === 3;
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
