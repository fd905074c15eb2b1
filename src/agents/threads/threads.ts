import type { ThreadManifest } from '../../access/agents/index.ts';
import type { ThreadMessage, Usage } from './message.ts';

/** The conversations of agents, wherever they are kept. */
export interface Threads {
  /** Begins a thread of an agent, or finds the one with this id. */
  open(agent: string, id?: string): Promise<ThreadManifest>;
  /** Reads all messages of a thread. */
  read(id: string): Promise<ThreadMessage[]>;
  /** Adds messages to a thread that has exactly `after` of them, and counts what they cost. */
  append(id: string, after: number, messages: readonly ThreadMessage[], usage?: Usage): Promise<void>;
}

/** Reads a thread page by page. */
export async function readPages(
  readPage: (from: number) => Promise<readonly ThreadMessage[]>,
): Promise<ThreadMessage[]> {
  const messages: ThreadMessage[] = [];
  for (;;) {
    const page = await readPage(messages.length);
    if (page.length === 0) return messages;
    messages.push(...page);
  }
}
