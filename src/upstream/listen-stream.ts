import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { backoffMs } from './backoff.ts';

/** A stream that lived this long was not a failed attempt. */
const STEADY_MS = 30_000;

/** The stream on which a server of 2026-07-28 tells what changed. One that breaks is opened again. */
export class ListenStream {
  readonly #log: Log;
  /** Called when something may have changed while nobody listened. */
  readonly #onGap: () => void;
  #stream: McpSubscription | undefined;
  #turn: Promise<void> = Promise.resolve();
  #breaks = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(log: Log, onGap: () => void) {
    this.#log = log;
    this.#onGap = onGap;
  }

  /**
   * Listens for changes of all lists and of these resources, and for nothing it listened for before. One after the other:
   * of two that overlap one stream would stay open for ever, and all news arrive twice.
   */
  open(client: Client, uris: () => string[]): Promise<void> {
    clearTimeout(this.#retry);
    this.#turn = this.#turn.then(async () => {
      const former = this.#stream;
      this.#stream = await this.#listen(client, uris);
      await former?.close().catch(() => {});
    });
    return this.#turn;
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
        if (how !== 'local' && this.#stream === stream) this.#broke(client, uris, since);
      });
      return stream;
    } catch (error) {
      this.#log.debug(`does not announce changes: ${messageOf(error)}`);
      // It did before, so it will again.
      if (this.#breaks > 0) this.#broke(client, uris, since);
      return undefined;
    }
  }

  #broke(client: Client, uris: () => string[], since: number): void {
    // A server that is gone is connected to anew, and then listened to anew.
    if (!client.transport) return;
    this.#breaks = performance.now() - since > STEADY_MS ? 1 : this.#breaks + 1;
    const again = () => void this.open(client, uris).then(this.#onGap);
    this.#retry = setTimeout(again, backoffMs(this.#breaks)).unref();
  }
}
