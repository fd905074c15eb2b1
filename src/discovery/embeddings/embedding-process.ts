import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextEventLoopTurn } from '../../event-loop-turn.ts';
import { sourceFile } from '../../package-files.js';
import type { Embedder } from './embedder.ts';
import type { LocalModel } from './local-model.ts';
import { LOCAL_MODEL } from './onnx-embedder.ts';

/** Requests to the process, and its answers. `id` 0 is the answer to its start. */
export interface EmbeddingRequest {
  id: number;
  texts: readonly string[];
}
export type EmbeddingAnswer = { id: number } & ({ vectors: Float32Array[] } | { error: string });

const PROGRAM = fileURLToPath(sourceFile('discovery/embeddings/process-main.ts'));
/** Far more than loading the weights, or the vectors of a few texts, takes on a busy machine. */
const DEADLINE_MS = 120_000;
/** The process needs no other variables, and some hold secrets. */
const VARIABLES = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'HOME'];

interface Waiting {
  resolve(vectors: Float32Array[]): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/**
 * Loads a model in a process of its own: computing blocks for tens of milliseconds, and native code that crashes must not
 * take PML with it.
 */
export async function openLocalModel(model: LocalModel): Promise<Embedder> {
  await nextEventLoopTurn();
  const process = new EmbeddingProcess(model);
  const [first] = await process.started.catch((error: Error) => {
    process.end(error);
    throw error;
  });
  return {
    model: LOCAL_MODEL,
    dimensions: first?.length ?? 0,
    embed: (texts) => process.embed(texts),
    close: () => process.end(new Error('the model was closed')),
  };
}

class EmbeddingProcess {
  readonly started: Promise<Float32Array[]>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: Error | undefined;

  constructor(model: LocalModel) {
    const env = Object.fromEntries(VARIABLES.flatMap((name) => toPair(name, process.env[name])));
    this.#child = fork(PROGRAM, [JSON.stringify(model)], {
      env,
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.started = this.#answerTo(0);
    this.#child.on('message', (answer: EmbeddingAnswer) => this.#settle(answer));
    this.#child.once('error', (error) => this.end(error));
    this.#child.once('exit', (code, signal) =>
      this.end(new Error(`the model's process ended (${signal ?? code})`)),
    );
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.#ended) return Promise.reject(this.#ended);
    this.#last += 1;
    const request: EmbeddingRequest = { id: this.#last, texts };
    const answer = this.#answerTo(request.id);
    this.#child.send(request, (error) => error && this.end(error));
    return answer;
  }

  end(why: Error): void {
    if (this.#ended) return;
    this.#ended = why;
    this.#child.kill('SIGKILL');
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(why);
    }
    this.#waiting.clear();
  }

  /** Keeps this process alive only while an answer is awaited. */
  #hold(isHeld: boolean): void {
    const how = isHeld ? 'ref' : 'unref';
    this.#child[how]();
    this.#child.channel?.[how]();
  }

  #answerTo(id: number): Promise<Float32Array[]> {
    this.#hold(true);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(new Error('the model does not answer')), DEADLINE_MS).unref();
      this.#waiting.set(id, { resolve, reject, timer });
    });
  }

  #settle(answer: EmbeddingAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (this.#waiting.size === 0) this.#hold(false);
    if ('vectors' in answer) waiting.resolve(answer.vectors);
    else waiting.reject(new Error(answer.error));
  }
}

function toPair(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}
