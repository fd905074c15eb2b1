import { Worker } from 'node:worker_threads';
import type { ModelChoice } from '../../models/index.ts';
import { sourceFile } from '../../package-files.js';
import type { ModelAnswer, ModelRequest } from './send-request.ts';

/** How much longer than the request itself the thread may take, to start and to answer. */
const GRACE_MS = 15_000;

/**
 * A thread that talks to a model. The packages for it take a fifth of a second to load, for which no session should wait, so
 * the thread starts with the first request and ends with the curation.
 */
export class ModelThread {
  readonly #choice: ModelChoice;
  #worker: Worker | undefined;
  /** Settles the pending request. */
  #settle: ((answer: ModelAnswer) => void) | undefined;

  constructor(choice: ModelChoice) {
    this.#choice = choice;
  }

  /** Sends one request. Never throws; the next request may only be sent after this one is answered. */
  async ask(request: ModelRequest, signal?: AbortSignal): Promise<ModelAnswer> {
    if (signal?.aborted) return failed(CANCELLED);
    const { timeoutMs } = request;
    const late = () => this.#fail(`the model did not answer within ${timeoutMs} ms`);
    const timer = setTimeout(late, timeoutMs + GRACE_MS);
    const cancel = () => this.#fail(CANCELLED);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise<ModelAnswer>((resolve) => {
        this.#settle = resolve;
        this.#worker ??= this.#start();
        this.#worker.postMessage(request);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    // The built package holds .js where the source holds .ts.
    const program = sourceFile('curation/model/worker.ts');
    const worker = new Worker(program, { name: 'model', workerData: this.#choice, env: proxyVariables() });
    worker.on('message', (answer: ModelAnswer) => this.#settle?.(answer));
    worker.on('error', (error: Error) => this.#fail(error.message));
    worker.on('exit', () => {
      if (worker === this.#worker) this.#fail('the thread that asks the model ended');
    });
    return worker;
  }

  #fail(problem: string): void {
    void this.close();
    this.#settle?.(failed(problem));
  }
}

const CANCELLED = 'the request was cancelled';

function failed(problem: string): ModelAnswer {
  return { problem, isFinal: true, tokens: 0 };
}

/** The thread needs no variable but those that say how to reach the network. */
function proxyVariables(): NodeJS.ProcessEnv {
  const wanted = /^(https?_proxy|no_proxy|node_extra_ca_certs|node_use_env_proxy|ssl_cert_(file|dir))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name)));
}
