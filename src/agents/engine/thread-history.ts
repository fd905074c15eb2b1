import type { ThreadMessage, Threads, Usage } from '../threads/index.ts';
import { completeHistory } from '../threads/index.ts';

/** One run's view of a thread: its messages so far, and those that the run adds. */
export class ThreadHistory {
  readonly #threads: Threads;
  readonly #id: string;
  readonly #messages: ThreadMessage[];
  #stored: number;
  /** The last append; the next one waits for it, since each must know how many messages there are. */
  #tail: Promise<void> = Promise.resolve();

  private constructor(threads: Threads, id: string, messages: ThreadMessage[]) {
    this.#threads = threads;
    this.#id = id;
    this.#messages = messages;
    this.#stored = messages.length;
  }

  static async load(threads: Threads, id: string): Promise<ThreadHistory> {
    return new ThreadHistory(threads, id, await threads.read(id));
  }

  /** The conversation as a provider accepts it. */
  messages(): ThreadMessage[] {
    return completeHistory(this.#messages);
  }

  /** Appends a message. Messages are stored in the order of the calls. */
  append(message: ThreadMessage, usage?: Usage): Promise<void> {
    const appended = this.#tail.then(async () => {
      await this.#threads.append(this.#id, this.#stored, [message], usage);
      this.#stored += 1;
      this.#messages.push(message);
    });
    this.#tail = appended.catch(() => {});
    return appended;
  }
}
