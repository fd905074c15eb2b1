import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorCode, messageOf, PmlError } from './errors.ts';

/** Pure functions of plain data, by name: what they take and give can be sent to another thread. */
// biome-ignore lint/suspicious/noExplicitAny: parameters are contravariant, and each task has its own.
export type Tasks = Readonly<Record<string, (...args: any[]) => unknown>>;

export interface TaskThreadOptions {
  /** A module that calls `serveTasks`. */
  program: URL;
  /** One task may take this long; a busy machine must be allowed for. */
  deadlineMs: number;
  /** What is answered when a task takes longer. */
  overrun: () => PmlError;
}

interface Job {
  task: string;
  args: unknown[];
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Answer = { value: unknown } | { error: SentError };
interface SentError {
  code?: ErrorCode;
  message: string;
  hint?: string | undefined;
  stack?: string | undefined;
}

/**
 * Ends a thread that slowly fills its memory. Nothing to rely on: one that fills it fast makes V8 end the whole process, so each
 * task must be bounded by what it is given.
 */
const MEMORY_MB = 512;
/** Threads cost memory: one that had nothing to do for so long is ended. */
const IDLE_MS = 60_000;

/**
 * A thread for work on foreign input that may take longer than other sessions can wait. It does one task after the
 * other and starts with the first; one that overruns its deadline is ended, and the next task gets a new thread.
 */
export class TaskThread<T extends Tasks> {
  readonly #options: TaskThreadOptions;
  readonly #queue: Job[] = [];
  #worker: Worker | undefined;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  run<K extends keyof T & string>(task: K, ...args: Parameters<T[K]>): Promise<ReturnType<T[K]>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, args, resolve: resolve as Job['resolve'], reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    clearTimeout(this.#timer);
    this.#current = this.#queue.shift();
    if (!this.#current) {
      // An idle thread keeps no process alive.
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#timer = setTimeout(() => this.#fail(this.#options.overrun()), this.#options.deadlineMs);
    const { task, args } = this.#current;
    try {
      this.#worker.postMessage({ task, args });
    } catch (error) {
      this.#settle((job) => job.reject(error as Error));
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program, {
      name: 'tasks',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.on('message', (answer: Answer) => {
      if (worker !== this.#worker) return;
      this.#settle((job) =>
        'error' in answer ? job.reject(received(answer.error)) : job.resolve(answer.value),
      );
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (worker === this.#worker) this.#fail(isMemory ? this.#options.overrun() : error);
    });
    worker.on('exit', () => {
      if (worker === this.#worker) this.#fail(new Error('a task thread ended'));
    });
    return worker;
  }

  #settle(how: (job: Job) => void): void {
    const job = this.#current;
    this.#current = undefined;
    if (job) how(job);
    this.#next();
  }

  #fail(error: Error): void {
    this.#end();
    this.#settle((job) => job.reject(error));
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

function received({ code, message, hint, stack }: SentError): Error {
  if (code !== undefined) return new PmlError(code, message, { ...(hint !== undefined && { hint }) });
  return Object.assign(new Error(message), { stack });
}

/** Does the tasks that this thread is sent. */
export function serveTasks(tasks: Tasks): void {
  parentPort?.on('message', ({ task, args }: Pick<Job, 'task' | 'args'>) => {
    parentPort?.postMessage(answerTo(() => tasks[task]?.(...args)));
  });
}

function answerTo(act: () => unknown): Answer {
  try {
    return { value: act() };
  } catch (error) {
    const { stack } = error as Error;
    if (!(error instanceof PmlError)) return { error: { message: messageOf(error), stack } };
    return { error: { code: error.code, message: error.message, hint: error.hint } };
  }
}
