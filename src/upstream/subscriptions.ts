import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ConnectedClient } from './connect.ts';
import { ListenStream } from './listen-stream.ts';

const ANY_RESULT = z.unknown();

interface Subscribers {
  count: number;
  /** Settles when the server has answered the first of them: all others get the same answer. */
  readonly subscribed: Promise<void>;
}

/** The resource subscriptions at one server: one for each resource, however many sessions want it. */
export class Subscriptions {
  readonly #log: Log;
  /** The sessions that want each resource, by URI. */
  readonly #subscribers = new Map<string, Subscribers>();
  readonly #stream: ListenStream;

  /** `onGap` is called when PML may have missed changes. */
  constructor(log: Log, onGap: () => void) {
    this.#log = log;
    this.#stream = new ListenStream(log, onGap);
  }

  async add(uri: string, connected: ConnectedClient): Promise<void> {
    const known = this.#subscribers.get(uri);
    if (known) {
      known.count += 1;
      return known.subscribed;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const first: Subscribers = { count: 1, subscribed: promise };
    this.#subscribers.set(uri, first);
    this.#send('resources/subscribe', uri, connected).then(resolve, (error) => {
      if (this.#subscribers.get(uri) === first) this.#subscribers.delete(uri);
      reject(error);
    });
    return promise;
  }

  async remove(uri: string, connected: ConnectedClient | undefined): Promise<void> {
    const known = this.#subscribers.get(uri);
    if (!known) return;
    known.count -= 1;
    if (known.count > 0) return;
    this.#subscribers.delete(uri);
    if (connected) await this.#send('resources/unsubscribe', uri, connected);
  }

  /** Subscribes again at a server that was started again. One failed subscription must not block the rest. */
  async restore({ client, era }: ConnectedClient): Promise<void> {
    if (era === 'modern') return this.#listen(client);
    for (const uri of this.#subscribers.keys()) {
      await client.request({ method: 'resources/subscribe', params: { uri } }, ANY_RESULT).catch((error) => {
        this.#log.warn(`could not subscribe to ${uri} again: ${messageOf(error)}`);
      });
    }
  }

  async #send(method: string, uri: string, { client, era }: ConnectedClient): Promise<void> {
    if (era === 'modern') await this.#listen(client);
    else await client.request({ method, params: { uri } }, ANY_RESULT);
  }

  #listen(client: Client): Promise<void> {
    return this.#stream.open(client, () => [...this.#subscribers.keys()]);
  }
}
