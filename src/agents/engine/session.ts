import type { ThreadMessage, Threads, Usage } from '../threads/index.ts';
import { completeHistory } from '../threads/index.ts';

/** A thread that one run goes on with: what was said, and what is being added. */
export class Session {
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

  static async load(threads: Threads, id: string): Promise<Session> {
    return new Session(threads, id, await threads.read(id));
  }

  /** The conversation as a provider accepts it. */
  history(): ThreadMessage[] {
    return completeHistory(this.#messages);
  }

  /** Adds a message to the thread before anything follows it. */
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
