import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '../json.ts';
import { answerOf, openToolClient, requestTool } from '../tool-client.ts';
import type { McpTransport } from './connect.ts';

export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** Calls tools over one connection, which is opened again if it ended. */
export class Calls {
  readonly #connect: () => Promise<McpTransport>;
  #client: Promise<Client> | undefined;

  constructor(connect: () => Promise<McpTransport>) {
    this.#connect = connect;
  }

  open(): Promise<Client> {
    this.#client ??= this.#open();
    return this.#client;
  }

  /** Returns the tool's structured answer, else its content. Throws a `PmlError` if the tool failed. */
  async call(tool: string, args: JsonObject, { signal }: CallOptions): Promise<JsonObject> {
    return answerOf(await requestTool(await this.open(), tool, args, { signal }));
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #open(): Promise<Client> {
    // A connection that failed or ended is replaced at the next call.
    const forget = () => {
      this.#client = undefined;
    };
    try {
      const client = await openToolClient('pml-embedded', this.#connect);
      client.onclose = forget;
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
