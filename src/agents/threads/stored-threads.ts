import type { ThreadManifest } from '../../access/agents/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import type { ThreadMessage, Usage } from './message.ts';
import { appendMessages, beginThread, findThread, readMessages } from './thread-table.ts';
import { readPages, type Threads } from './threads.ts';

/** The threads of one principal in the store. */
export class StoredThreads implements Threads {
  readonly #db: Db;
  readonly #who: Principal;
  readonly #redactor: Redactor;

  constructor(db: Db, who: Principal, redactor: Redactor) {
    this.#db = db;
    this.#who = who;
    this.#redactor = redactor;
  }

  async open(agent: string, id?: string): Promise<ThreadManifest> {
    if (id === undefined) return beginThread(this.#db, this.#who, agent);
    const thread = await findThread(this.#db, this.#who, id);
    if (thread.agent === agent) return thread;
    throw new PmlError(
      'thread_not_found',
      `Thread ${id} is one of agent "${thread.agent}", not of "${agent}".`,
      {
        hint: `Run that agent, or leave --thread out to begin a new thread.`,
      },
    );
  }

  readPage(id: string, from: number): Promise<ThreadMessage[]> {
    return readMessages(this.#db, this.#who, id, from);
  }

  read(id: string): Promise<ThreadMessage[]> {
    return readPages((from) => this.readPage(id, from));
  }

  append(id: string, after: number, messages: readonly ThreadMessage[], usage?: Usage): Promise<void> {
    return appendMessages(this.#db, this.#who, id, { after, messages, usage }, this.#redactor);
  }
}
