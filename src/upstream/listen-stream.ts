import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { backoffMs } from './backoff.ts';

/** A stream that lived this long does not count as a failed attempt. */
const STABLE_MS = 30_000;

/** The stream on which a server of 2026-07-28 announces changes. A stream that breaks is opened again. */
export class ListenStream {
  readonly #log: Log;
  /** Called when PML may have missed changes. */
  readonly #onGap: () => void;
  #stream: McpSubscription | undefined;
  #opening: Promise<void> = Promise.resolve();
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(log: Log, onGap: () => void) {
    this.#log = log;
    this.#onGap = onGap;
  }

  /**
   * Replaces the stream by one for the changes of all lists and of these resources. Streams are opened one after the
   * other: of two at once, one would stay open for ever, and every change would arrive twice.
   */
  open(client: Client, uris: () => string[]): Promise<void> {
    clearTimeout(this.#retryTimer);
    this.#opening = this.#opening.then(async () => {
      const former = this.#stream;
      this.#stream = await this.#listen(client, uris);
      await former?.close().catch(() => {});
    });
    return this.#opening;
  }

  async #listen(client: Client, uris: () => string[]): Promise<McpSubscription | undefined> {
    const resourceSubscriptions = uris();
    const since = performance.now();
    try {
      const stream = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
      });
      void stream.closed.then((how) => {
        if (how !== 'local' && this.#stream === stream) this.#reopenLater(client, uris, since);
      });
      return stream;
    } catch (error) {
      this.#log.debug(`does not announce changes: ${messageOf(error)}`);
      // The server announced changes before, so it will again.
      if (this.#failures > 0) this.#reopenLater(client, uris, since);
      return undefined;
    }
  }

  #reopenLater(client: Client, uris: () => string[], since: number): void {
    // If the connection itself is gone, the next one opens a stream of its own.
    if (!client.transport) return;
    this.#failures = performance.now() - since > STABLE_MS ? 1 : this.#failures + 1;
    const reopen = () => void this.open(client, uris).then(this.#onGap);
    this.#retryTimer = setTimeout(reopen, backoffMs(this.#failures)).unref();
  }
}
