import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Connection } from './connect.ts';

const RAW = z.unknown();

/** What PML listens to at one server. The server hears of a resource once, however many sessions want it. */
export class Subscriptions {
  readonly #log: Log;
  readonly #wanted = new Map<string, number>();
  #listening: { close(): Promise<void> } | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
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

  /** One after the other: of two that overlap one stream would stay open for ever, and all news arrive twice. */
  #listen(client: Client): Promise<void> {
    this.#turn = this.#turn.then(() => this.#listenAnew(client));
    return this.#turn;
  }

  async #listenAnew(client: Client): Promise<void> {
    const former = this.#listening;
    const uris = [...this.#wanted.keys()];
    this.#listening = await client
      .listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        ...(uris.length > 0 && { resourceSubscriptions: uris }),
      })
      .catch((error) => {
        this.#log.debug(`does not announce changes: ${messageOf(error)}`);
        return undefined;
      });
    await former?.close().catch(() => {});
  }
}
