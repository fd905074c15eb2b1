import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ModelChoice } from './choose-model.ts';
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

  constructor(choice: ModelChoice) {
    this.#choice = choice;
  }

  /** Asks one thing. Never throws; the next request may only be sent after this one is answered. */
  ask(request: ModelRequest, signal?: AbortSignal): Promise<ModelAnswer> {
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    return new Promise((resolve) => {
      const settle = (answer: ModelAnswer) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        worker.removeAllListeners();
        worker.on('error', () => {});
        resolve(answer);
      };
      const fail = (problem: string) => {
        this.#worker = undefined;
        settle({ problem, isFinal: true, tokens: 0 });
        void worker.terminate();
      };
      const cancel = () => fail('it was cancelled');
      const timer = setTimeout(
        () => fail(`the model did not answer within ${request.timeoutMs} ms`),
        request.timeoutMs + GRACE_MS,
      );
      worker.once('message', settle);
      worker.once('error', (error) => fail(error.message));
      worker.once('exit', () => fail('the thread that asks the model ended'));
      if (signal?.aborted) return cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    // The built package holds .js where the source holds .ts.
    const program = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
    return new Worker(program, { name: 'model', workerData: this.#choice, env: proxyVariables() });
  }
}

/** The thread needs no variable but those that say how to reach the network. */
function proxyVariables(): NodeJS.ProcessEnv {
  const wanted = /^(https?_proxy|no_proxy|node_extra_ca_certs|node_use_env_proxy|ssl_cert_(file|dir))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name)));
}
