import pg from 'pg';
import { Channels, quoteName, type Subscriber } from '../channels.ts';
import { refuseWhenClosed } from '../db.ts';
import { SerialQueue } from '../serial-queue.ts';
import { connectionConfig, serverName, translateError } from './connection-config.ts';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
const HEARTBEAT_MS = 30_000;

/**
 * Runs LISTEN on a connection of its own, and reconnects whenever it drops. PostgreSQL keeps nothing for an absent
 * listener, so all subscribers are told of the gap.
 */
export class ChangeFeed {
  readonly #url: string;
  readonly #heartbeatMs: number;
  readonly #channels = new Channels();
  readonly #queue = new SerialQueue();
  #client: Promise<pg.Client> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, heartbeatMs = HEARTBEAT_MS) {
    this.#url = url;
    this.#heartbeatMs = heartbeatMs;
  }

  async listen(channel: string, subscriber: Subscriber): Promise<() => Promise<void>> {
    this.#channels.add(channel, subscriber);
    try {
      await this.#send(`listen ${quoteName(channel)}`);
    } catch (error) {
      this.#channels.remove(channel, subscriber);
      throw error;
    }
    return async () => {
      const wasLast = this.#channels.remove(channel, subscriber);
      // A lost connection has stopped listening already.
      if (wasLast && this.#client) await this.#send(`unlisten ${quoteName(channel)}`).catch(() => {});
    };
  }

  /** Delivers a payload of this process to its own subscribers before it comes back from the server. */
  deliver(channel: string, payload: string): void {
    this.#channels.deliver(channel, payload);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  async #send(sql: string): Promise<void> {
    refuseWhenClosed(this.#closed);
    try {
      await this.#queue.run(async () => (await this.#connected()).query(sql));
    } catch (error) {
      throw translateError(error, serverName(this.#url));
    }
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...connectionConfig(this.#url), query_timeout: this.#heartbeatMs });
    client.on('notification', ({ channel, payload }) => this.#channels.deliver(channel, payload ?? ''));
    // The 'end' event follows every error.
    client.on('error', () => {});
    const end = new Promise<void>((resolve) => client.once('end', resolve));
    try {
      await client.connect();
      for (const channel of this.#channels.names()) await client.query(`listen ${quoteName(channel)}`);
    } catch (error) {
      this.#client = undefined;
      client.end().catch(() => {});
      throw error;
    }
    const heartbeat = setInterval(() => this.#checkAlive(client), this.#heartbeatMs).unref();
    end.then(() => {
      clearInterval(heartbeat);
      this.#client = undefined;
      this.#reconnectLater(FIRST_RETRY_MS);
    });
    return client;
  }

  /** Queries the server: a connection that was cut silently is noticed only by its use. */
  #checkAlive(client: pg.Client): void {
    this.#queue.run(() => client.query('select 1')).catch(() => client.end().catch(() => {}));
  }

  /** Connects again, as long as there are subscribers. */
  #reconnectLater(delay: number): void {
    if (this.#closed || this.#channels.names().length === 0) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      this.#connected().then(
        () => this.#channels.announceGap(),
        () => this.#reconnectLater(Math.min(delay * 2, MAX_RETRY_MS)),
      );
    }, delay);
  }
}
