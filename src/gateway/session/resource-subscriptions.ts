import { PmlError } from '../../errors.ts';
import type { Upstream } from '../../upstream/index.ts';

type Find = (uri: string) => { upstream: Upstream; uri: string } | undefined;

/** A resource as its server knows it. */
interface Subscription {
  readonly upstream: Upstream;
  readonly own: string;
  /** The server has not answered yet. It may still be starting. */
  isPending: boolean;
}

/**
 * The resource subscriptions of one session, by the URIs that its client uses. Each belongs to a subscriber: a legacy
 * session, or one `listen` stream of a modern client.
 */
export class ResourceSubscriptions {
  readonly #find: Find;
  readonly #bySubscriber = new Map<string, Map<string, Subscription>>();

  constructor(find: Find) {
    this.#find = find;
  }

  async add(subscriber: string, uri: string): Promise<void> {
    const found = this.#find(uri);
    if (!found) throw new PmlError('resource_not_found', `Resource not found: ${uri}`);
    const subscriptions = this.#bySubscriber.get(subscriber) ?? new Map();
    this.#bySubscriber.set(subscriber, subscriptions);
    if (subscriptions.has(uri)) return;
    const subscription = { upstream: found.upstream, own: found.uri, isPending: true };
    const isKept = () => this.#bySubscriber.get(subscriber)?.get(uri) === subscription;
    subscriptions.set(uri, subscription);
    try {
      await found.upstream.subscribe(found.uri);
    } catch (error) {
      // If the entry stayed, the next attempt would look like a success.
      if (isKept()) subscriptions.delete(uri);
      throw error;
    }
    subscription.isPending = false;
    // It was dropped meanwhile, when there was nothing to unsubscribe from.
    if (!isKept()) await found.upstream.unsubscribe(found.uri);
  }

  /** Adds them all. One failed subscription does not block the rest. */
  async addAll(subscriber: string, uris: readonly string[]): Promise<void> {
    await Promise.all(uris.map((uri) => this.add(subscriber, uri)));
  }

  async drop(subscriber: string, uris?: readonly string[]): Promise<void> {
    const subscriptions = this.#bySubscriber.get(subscriber);
    if (!subscriptions) return;
    const requests = (uris ?? [...subscriptions.keys()]).map((uri) => {
      const subscription = subscriptions.get(uri);
      subscriptions.delete(uri);
      // `add` unsubscribes from what is pending.
      return subscription?.isPending ? undefined : subscription?.upstream.unsubscribe(subscription.own);
    });
    if (subscriptions.size === 0) this.#bySubscriber.delete(subscriber);
    await Promise.all(requests);
  }

  /** Returns the client's URIs under which a resource of a server is subscribed to. */
  subscribedUris(upstream: Upstream, own: string): string[] {
    const uris = new Set<string>();
    for (const subscriptions of this.#bySubscriber.values()) {
      for (const [uri, one] of subscriptions) if (one.upstream === upstream && one.own === own) uris.add(uri);
    }
    return [...uris];
  }

  async close(): Promise<void> {
    // The servers may be gone, so a failure to unsubscribe does not matter.
    await Promise.allSettled([...this.#bySubscriber.keys()].map((subscriber) => this.drop(subscriber)));
  }
}
