import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { BOOT, childProgram } from './bundle-scripts.ts';
import { encodeFrame, type Frame, type FromChild, frameReader, type ToChild } from './protocol.ts';

/** What a child needs of Node and no more: addons until isolated-vm is loaded, no file, no process, no worker. */
export const CHILD_FLAGS = [
  '--permission',
  '--allow-addons',
  // isolated-vm's isolates and Node's own start from different snapshots, which V8 cannot have in one process.
  '--no-node-snapshot',
  '--disable-warning=PERM0001',
  '--disable-sigusr1',
  // Helpers for one isolate, not for a server: fewer threads, and processor time that is mostly the guest's.
  '--v8-pool-size=1',
  '--max-old-space-size=512',
];

const STDERR_TAIL = 4_000;
/** Room for the head of a frame, and for frames when no run is on. */
const HEAD_BYTES = 64 * 1024;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

export interface Listener {
  frame(frame: Frame<FromChild>): void;
  exit(exit: Exit): void;
}

/** A child process and its channel. */
export class SandboxProcess {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #input: Writable;
  #listener: Listener;
  #maxBody = 0;
  #stderr = '';

  constructor(memoryMb: number, listener: Listener) {
    this.#listener = listener;
    this.#child = spawn(process.execPath, [...CHILD_FLAGS, '-e', BOOT], {
      cwd: path.parse(process.execPath).root,
      env: {},
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const { stdin, stdout, stderr } = this.#child as { stdin: Writable; stdout: Readable; stderr: Readable };
    this.#input = stdin;
    // A child that has died is seen by its exit.
    stdin.on('error', () => {});
    const read = frameReader<FromChild>(() => this.#maxBody + HEAD_BYTES);
    stdout.on('data', (chunk) => this.#read(() => read(chunk)));
    stderr.on('data', (chunk) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_TAIL);
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
      // Close, not exit: by then all that the child wrote has been read.
      this.#child.once('close', (code, signal) => resolve({ code, signal, stderr: this.#stderr }));
    });
    this.exited.then((exit) => this.#listener.exit(exit));
    this.#unref();
    offerToOomKiller(this.#child.pid);
    this.#input.write(program());
    this.send({ type: 'start', addon: addonPath(), memoryMb });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Lets others have the processor first. Threads that the child makes from now on inherit it. */
  yield(niceness: number): void {
    if (this.#child.pid === undefined) return;
    try {
      setPriority(this.#child.pid, niceness);
    } catch {
      // It has ended, or the system refuses: it works without.
    }
  }

  send(head: ToChild, body?: string): void {
    this.#input.write(encodeFrame(head, body));
  }

  /** Hears the child from now on, up to bodies of this size. */
  listen(listener: Listener, maxBody: number): void {
    this.#listener = listener;
    this.#maxBody = maxBody;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Kills the process and waits until it is gone. */
  async end(): Promise<void> {
    this.#child.ref();
    this.kill();
    await this.exited;
  }

  /** A child breaks the form of its frames only if its guest has got out; then nothing it says is worth hearing. */
  #read(read: () => Frame<FromChild>[]): void {
    try {
      for (const frame of read()) this.#listener.frame(frame);
    } catch (error) {
      this.#stderr = `broken frame: ${error instanceof Error ? error.message : error}`;
      this.kill();
    }
  }

  /** Waiting children do not keep the host alive; a run does, by its timer. */
  #unref(): void {
    this.#child.unref();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      (pipe as { unref?(): void } | null)?.unref?.();
    }
  }
}

/** Where memory runs out, Linux ends a child, which has one run, rather than the host, which has them all. */
function offerToOomKiller(pid: number | undefined): void {
  if (process.platform === 'linux' && pid !== undefined)
    writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {});
}

let made: Buffer | undefined;

/** The program with its length before it; the same for every child. */
function program(): Buffer {
  if (made) return made;
  const text = childProgram();
  made = Buffer.alloc(4 + Buffer.byteLength(text));
  made.writeUInt32BE(made.length - 4);
  made.write(text, 4);
  return made;
}

/** The addon's file, found here because a child may read nothing. */
export function addonPath(): string {
  const folder = path.dirname(createRequire(import.meta.url).resolve('isolated-vm/package.json'));
  const build = createRequire(path.join(folder, 'package.json'))('node-gyp-build');
  return build.path(folder);
}
