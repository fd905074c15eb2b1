import pg from 'pg';
import { Channels, quoteName, type Subscriber } from './channels.ts';
import { connectionConfig, serverName, translateError } from './postgres-address.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const PULSE_MS = 30_000;

/**
 * LISTEN on a connection of its own, which is made again whenever it drops. PostgreSQL keeps nothing for a
 * listener that is away, so everyone is told of the gap.
 */
export class ChangeFeed {
  readonly #url: string;
  readonly #channels = new Channels();
  #client: Promise<pg.Client> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
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
      if (this.#channels.remove(channel, subscriber) && this.#client) {
        await this.#send(`unlisten ${quoteName(channel)}`);
      }
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  async #send(sql: string): Promise<void> {
    try {
      this.#client ??= this.#connect();
      const client = await this.#client;
      await client.query(sql);
    } catch (error) {
      throw translateError(error, serverName(this.#url));
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...connectionConfig(this.#url), query_timeout: PULSE_MS });
    client.on('notification', ({ channel, payload }) => this.#channels.deliver(channel, payload ?? ''));
    client.on('error', () => {});
    try {
      await client.connect();
      for (const channel of this.#channels.names()) await client.query(`listen ${quoteName(channel)}`);
    } catch (error) {
      this.#client = undefined;
      await client.end().catch(() => {});
      throw error;
    }
    const pulse = setInterval(() => this.#feel(client), PULSE_MS).unref();
    client.once('end', () => {
      clearInterval(pulse);
      this.#client = undefined;
      this.#mend(FIRST_RETRY_MS);
    });
    return client;
  }

  /** A server that vanished without a word is noticed only by asking it something. */
  #feel(client: pg.Client): void {
    client.query('select 1').catch(() => client.end().catch(() => {}));
  }

  #mend(delay: number): void {
    if (this.#closed || this.#channels.names().length === 0) return;
    this.#retry = setTimeout(async () => {
      try {
        this.#client ??= this.#connect();
        await this.#client;
        this.#channels.announceGap();
      } catch {
        this.#mend(Math.min(delay * 2, LAST_RETRY_MS));
      }
    }, delay);
  }
}
