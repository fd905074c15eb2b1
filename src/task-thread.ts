import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorCode, messageOf, PmlError } from './errors.ts';

/** Pure functions by name. Their arguments and results are plain data, which can be sent to another thread. */
// biome-ignore lint/suspicious/noExplicitAny: parameters are contravariant, and each task has its own.
export type Tasks = Readonly<Record<string, (...args: any[]) => unknown>>;

export interface TaskThreadOptions {
  /** A module that calls `serveTasks`. */
  program: URL;
  /** The processor time that one task may take. On a busy machine it may take `MAX_WAIT` times as long. */
  deadlineMs: number;
  /** Makes the error for a task that takes longer. */
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
 * Ends a thread that fills its memory slowly. Do not rely on it: if memory fills fast, V8 ends the whole process, so each
 * task must bound its own input.
 */
const MEMORY_MB = 512;
/** How many times its processor time a task may take by the clock, since its thread may have to wait for a core. */
const MAX_WAIT = 10;
/** The least time between two looks at a thread that has overrun its time. */
const LOOK_MS = 100;
/** A thread that is idle for this long is ended, since threads cost memory. */
const IDLE_MS = 60_000;

/**
 * A thread for work on foreign input that may take longer than other sessions can wait. It starts with the first task and
 * runs one at a time. If a task overruns its deadline, its thread is ended and the next task gets a new one.
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
    this.#watch(this.#current, this.#worker);
    const { task, args } = this.#current;
    try {
      this.#worker.postMessage({ task, args });
    } catch (error) {
      this.#settle((job) => job.reject(error as Error));
    }
  }

  /** Ends the thread when a job has used up its processor time. */
  #watch(job: Job, worker: Worker): void {
    const { deadlineMs, overrun } = this.#options;
    const begin = performance.now();
    const usedBefore = cpuMsOf(worker);
    const look = async (): Promise<void> => {
      const usedMs = (await cpuMsOf(worker)) - (await usedBefore);
      if (this.#current !== job) return;
      if (usedMs >= deadlineMs || performance.now() - begin > MAX_WAIT * deadlineMs)
        return this.#fail(overrun());
      this.#timer = setTimeout(look, Math.max(LOOK_MS, deadlineMs - usedMs));
    };
    this.#timer = setTimeout(look, deadlineMs);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program, {
      name: 'tasks',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.on('message', (answer: Answer) => {
      if (worker !== this.#worker) return;
      this.#settle((job) =>
        'error' in answer ? job.reject(toError(answer.error)) : job.resolve(answer.value),
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

  #settle(settle: (job: Job) => void): void {
    const job = this.#current;
    this.#current = undefined;
    if (job) settle(job);
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

/** The processor time that a thread has used; none if it has ended. */
async function cpuMsOf(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

function toError({ code, message, hint, stack }: SentError): Error {
  if (code !== undefined) return new PmlError(code, message, { ...(hint !== undefined && { hint }) });
  return Object.assign(new Error(message), { stack });
}

/** Runs, in this worker thread, the tasks that the main thread sends. */
export function serveTasks(tasks: Tasks): void {
  parentPort?.on('message', ({ task, args }: Pick<Job, 'task' | 'args'>) => {
    parentPort?.postMessage(answerTo(() => tasks[task]?.(...args)));
  });
}

function answerTo(task: () => unknown): Answer {
  try {
    return { value: task() };
  } catch (error) {
    const { stack } = error as Error;
    if (!(error instanceof PmlError)) return { error: { message: messageOf(error), stack } };
    return { error: { code: error.code, message: error.message, hint: error.hint } };
  }
}
