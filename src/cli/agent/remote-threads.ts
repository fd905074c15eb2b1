import type { ThreadManifest } from '../../access/agents/index.ts';
import { readPages, type ThreadMessage, type Threads, type Usage } from '../../agents/threads/index.ts';
import { sendAdminRequest } from '../admin-request.ts';
import type { Terminal } from '../terminal.ts';

/** The user's threads, which the daemon keeps. */
export class RemoteThreads implements Threads {
  readonly #terminal: Terminal;
  readonly #config: string | undefined;

  constructor(terminal: Terminal, config: string | undefined) {
    this.#terminal = terminal;
    this.#config = config;
  }

  async open(agent: string, id?: string): Promise<ThreadManifest> {
    const opened = await this.#send<ThreadManifest & { createdAt: string }>({
      ...{ do: 'open_thread', agent },
      ...(id !== undefined && { thread: id }),
    });
    return { ...opened, createdAt: new Date(opened.createdAt) };
  }

  read(thread: string): Promise<ThreadMessage[]> {
    return readPages((from) => this.#send<ThreadMessage[]>({ do: 'read_thread', thread, from }));
  }

  async append(
    thread: string,
    after: number,
    messages: readonly ThreadMessage[],
    usage?: Usage,
  ): Promise<void> {
    await this.#send({ do: 'append_to_thread', thread, after, messages, ...(usage && { usage }) });
  }

  #send<T>(request: object): Promise<T> {
    return sendAdminRequest<T>(this.#terminal, request, this.#config);
  }
}
