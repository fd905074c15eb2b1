import pg from 'pg';
import { Channels, quoteName, type Subscriber } from '../channels.ts';
import { refuseWhenClosed } from '../db.ts';
import { Queue } from '../queue.ts';
import { connectionConfig, serverName, translateError } from './address.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const PULSE_MS = 30_000;

/**
 * LISTEN on a connection of its own, which is made again whenever it drops. PostgreSQL keeps nothing for a
 * listener that is away, so everyone is told of the gap.
 */
export class ChangeFeed {
  readonly #url: string;
  readonly #pulseMs: number;
  readonly #channels = new Channels();
  readonly #queue = new Queue();
  #client: Promise<pg.Client> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, pulseMs = PULSE_MS) {
    this.#url = url;
    this.#pulseMs = pulseMs;
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
      // A connection that is lost has stopped listening already.
      if (wasLast && this.#client) await this.#send(`unlisten ${quoteName(channel)}`).catch(() => {});
    };
  }

  /** Tells those who listen here what this process has sent, before it comes back from the server. */
  deliver(channel: string, payload: string): void {
    this.#channels.deliver(channel, payload);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
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
    const client = new pg.Client({ ...connectionConfig(this.#url), query_timeout: this.#pulseMs });
    client.on('notification', ({ channel, payload }) => this.#channels.deliver(channel, payload ?? ''));
    // Whatever it says, the end follows.
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
    const pulse = setInterval(() => this.#checkPulse(client), this.#pulseMs).unref();
    end.then(() => {
      clearInterval(pulse);
      this.#client = undefined;
      this.#mend(FIRST_RETRY_MS);
    });
    return client;
  }

  /** A server that vanished without a word is noticed only by asking it something. */
  #checkPulse(client: pg.Client): void {
    this.#queue.run(() => client.query('select 1')).catch(() => client.end().catch(() => {}));
  }

  /** Connects again, for as long as anybody listens. */
  #mend(delay: number): void {
    if (this.#closed || this.#channels.names().length === 0) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#connected().then(
        () => this.#channels.announceGap(),
        () => this.#mend(Math.min(delay * 2, LAST_RETRY_MS)),
      );
    }, delay);
  }
}
