import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import nodeGypBuild from 'node-gyp-build';
import { builtFile, packageFile } from '../package-files.js';
import { BOOT_SCRIPT, childScript } from './bundle-scripts.ts';
import { encodeFrame, type Frame, type FromChild, frameReader, type ToChild } from './protocol.ts';

/** Lets a child load the isolated-vm addon and start its watchdog, and denies it files and processes. */
export const CHILD_FLAGS = [
  '--permission',
  '--allow-addons',
  '--allow-worker',
  // isolated-vm's isolates and Node's own start from different snapshots, which V8 cannot have in one process.
  '--no-node-snapshot',
  '--disable-warning=PERM0001',
  '--disable-warning=PERM0006',
  '--disable-sigusr1',
  // V8's helper threads for one isolate: fewer of them leave the processor time mostly to the guest.
  '--v8-pool-size=1',
  '--max-old-space-size=512',
];

const STDERR_TAIL_LENGTH = 4_000;
/** Allowed for the head of a frame, and for frames between runs. */
const MAX_HEAD_BYTES = 64 * 1024;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

export interface ProcessListener {
  frame(frame: Frame<FromChild>): void;
  exit(exit: Exit): void;
}

interface Pipes {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
}

/** A child process and its channel. */
export class SandboxProcess {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #input: Writable;
  #listener: ProcessListener;
  #maxBody = 0;
  #hasSent = false;
  #stderr = '';

  /** Throws if no process can be made. */
  constructor(memoryMb: number, listener: ProcessListener) {
    const addon = addonPath();
    this.#listener = listener;
    this.#child = spawn(process.execPath, [...CHILD_FLAGS, '-e', BOOT_SCRIPT], {
      cwd: path.parse(process.execPath).root,
      env: {},
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
      // 'close' rather than 'exit': by then all output of the child has been read.
      this.#child.once('close', (code, signal) => resolve({ code, signal, stderr: this.#stderr }));
    });
    const { stdin, stdout, stderr } = this.#child as Partial<Pipes>;
    // Node makes no pipes if the process has no file descriptors left.
    if (!stdin || !stdout || !stderr) throw new Error('too many files and connections are open');
    this.#input = stdin;
    // The exit event reports a child that has died.
    stdin.on('error', () => {});
    const read = frameReader<FromChild>(() => this.#maxBody + MAX_HEAD_BYTES);
    stdout.on('data', (chunk) => {
      this.#hasSent = true;
      this.#read(() => read(chunk));
    });
    stderr.on('data', (chunk) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_TAIL_LENGTH);
    });
    this.exited.then((exit) => this.#listener.exit(exit));
    this.#unref();
    preferForOomKill(this.#child.pid);
    this.#input.write(program());
    this.send({ type: 'start', addon, memoryMb });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** True if any byte came since the listener was replaced, also if its frame is not whole yet. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Lowers the priority of the child, and of the threads that it creates from now on. */
  setNiceness(niceness: number): void {
    if (this.#child.pid === undefined) return;
    try {
      setPriority(this.#child.pid, niceness);
    } catch {
      // The child has ended, or the system refuses: the child works without.
    }
  }

  send(head: ToChild, body?: string): void {
    this.#input.write(encodeFrame(head, body));
  }

  /** Replaces the listener, and allows frame bodies up to this size. */
  listen(listener: ProcessListener, maxBody: number): void {
    this.#listener = listener;
    this.#maxBody = maxBody;
    this.#hasSent = false;
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

  /** Kills a child that sends a malformed frame: only a guest that has escaped makes it do so. */
  #read(read: () => Frame<FromChild>[]): void {
    try {
      for (const frame of read()) this.#listener.frame(frame);
    } catch (error) {
      this.#stderr = `broken frame: ${error instanceof Error ? error.message : error}`;
      this.kill();
    }
  }

  /** Idle children do not keep the host alive; a run does, by its timer. */
  #unref(): void {
    this.#child.unref();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      (pipe as { unref?(): void } | null)?.unref?.();
    }
  }
}

/** When memory runs out, Linux shall kill a child, which has one run, rather than the host, which has them all. */
function preferForOomKill(pid: number | undefined): void {
  if (process.platform === 'linux' && pid !== undefined)
    writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {});
}

let cachedProgram: Buffer | undefined;

/** The child's script, prefixed with its length; the same for every child. */
function program(): Buffer {
  if (cachedProgram) return cachedProgram;
  const text = childScript();
  cachedProgram = Buffer.alloc(4 + Buffer.byteLength(text));
  cachedProgram.writeUInt32BE(cachedProgram.length - 4);
  cachedProgram.write(text, 4);
  return cachedProgram;
}

/**
 * Finds the addon's file in the host, because a child may read no file. The published package brings the addon's builds
 * along: isolated-vm itself cannot be installed with Node 20 and 22, which may start PML.
 */
export function addonPath(): string {
  const folder = fileURLToPath(builtFile('isolated-vm') ?? packageFile('node_modules/isolated-vm'));
  try {
    return nodeGypBuild.path(folder);
  } catch (error) {
    throw new Error(
      `PML cannot run code here: there is no build of isolated-vm for ${process.platform}-${process.arch} and Node ${process.versions.node}. ` +
        'There are builds for Node 24 and 26 on Linux (x64, arm64), macOS (arm64) and Windows (x64).',
      { cause: error },
    );
  }
}
