import { Client, type Transport } from '@modelcontextprotocol/client';
import { errorInAnswer, PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { VERSION } from '../version.ts';
import type { McpTransport } from './connect.ts';

export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** The gateway decides how long a call may take, so the SDK's own timeout must never cut it off. */
const TIMEOUT_MS = 24 * 60 * 60_000;

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
    const client = await this.open();
    const result = await client.callTool(
      { name: tool, arguments: { ...args } },
      { timeout: TIMEOUT_MS, ...(signal && { signal }) },
    );
    const answer = (result.structuredContent ?? { content: result.content }) as JsonObject;
    if (result.isError) throw errorInAnswer(answer) ?? new PmlError('tool_failed', JSON.stringify(answer));
    return answer;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #open(): Promise<Client> {
    const client = new Client(
      { name: 'pml-embedded', version: VERSION },
      { versionNegotiation: { mode: 'auto' } },
    );
    // A connection that failed or ended is replaced at the next call.
    client.onclose = () => {
      this.#client = undefined;
    };
    try {
      await client.connect((await this.#connect()) as Transport);
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }
}
