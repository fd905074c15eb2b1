import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Connection } from './connect.ts';
import { ListenStream } from './listen-stream.ts';

const RAW = z.unknown();

/** What PML listens to at one server. The server hears of a resource once, however many sessions want it. */
export class Subscriptions {
  readonly #log: Log;
  readonly #wanted = new Map<string, number>();
  readonly #listening: ListenStream;

  /** `onGap` is called when something may have changed unheard. */
  constructor(log: Log, onGap: () => void) {
    this.#log = log;
    this.#listening = new ListenStream(log, onGap);
  }

  async add(uri: string, connection: Connection): Promise<void> {
    const count = this.#wanted.get(uri) ?? 0;
    this.#wanted.set(uri, count + 1);
    if (count > 0) return;
    try {
      await this.#tell('resources/subscribe', uri, connection);
    } catch (error) {
      this.#wanted.delete(uri);
      throw error;
    }
  }

  async drop(uri: string, connection: Connection | undefined): Promise<void> {
    const count = this.#wanted.get(uri) ?? 0;
    if (count > 1) this.#wanted.set(uri, count - 1);
    if (count !== 1) return;
    this.#wanted.delete(uri);
    if (connection) await this.#tell('resources/unsubscribe', uri, connection);
  }

  /** A server that was started again must hear again what PML listens to. */
  async restore({ client, era }: Connection): Promise<void> {
    if (era === 'modern') return this.#listen(client);
    for (const uri of this.#wanted.keys()) {
      await client.request({ method: 'resources/subscribe', params: { uri } }, RAW).catch((error) => {
        this.#log.warn(`could not subscribe to ${uri} again: ${messageOf(error)}`);
      });
    }
  }

  async #tell(method: string, uri: string, { client, era }: Connection): Promise<void> {
    if (era === 'modern') await this.#listen(client);
    else await client.request({ method, params: { uri } }, RAW);
  }
  #listen(client: Client): Promise<void> {
    return this.#listening.open(client, () => [...this.#wanted.keys()]);
  }
}
