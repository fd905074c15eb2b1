import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { answerKey } from '../../remembered-answers.js';

export interface FirstAnswersOptions {
  /** Writes the instructions again, once the servers are listed. */
  instructions: () => Promise<string>;
  /** Hides secrets that servers may quote. */
  redact: (answer: JsonObject) => JsonObject;
  /** Called with all answers so far, by the keys of their requests, after each answer to `tools/list`. */
  remember: (answers: ReadonlyMap<string, JsonObject>) => void;
}

/** Notes how a client's first requests were answered, so that the next start can answer them at once. */
export class FirstAnswers {
  readonly #options: FirstAnswersOptions;
  readonly #answers = new Map<string, JsonObject>();
  readonly #pending = new Map<unknown, string>();
  /** The version that `initialize` asked for. */
  #version: string | undefined;

  constructor(options: FirstAnswersOptions) {
    this.#options = options;
  }

  received(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return;
    const key = answerKey(message, this.#version);
    if (key === undefined) return;
    if (message.method === 'initialize') this.#version = key.split(' ')[1];
    this.#pending.set(message.id, key);
  }

  sent(message: JSONRPCMessage): void {
    if (this.#pending.size === 0 || 'method' in message) return;
    const key = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (key === undefined || !('result' in message) || !isJsonObject(message.result)) return;
    this.#answers.set(key, message.result);
    // If this fails, the next start uses older answers, or none.
    if (key.startsWith('tools/list ')) this.#remember().catch(() => {});
  }

  async #remember(): Promise<void> {
    const { instructions, redact, remember } = this.#options;
    // The instructions that the client got when it connected do not count the tools of new servers.
    const text = await instructions();
    const answers = [...this.#answers].map(([key, answer]) => {
      const current = 'instructions' in answer ? { ...answer, instructions: text } : answer;
      return [key, redact(current)] as const;
    });
    remember(new Map(answers));
  }
}
