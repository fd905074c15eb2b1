import { PmlError } from '../../errors.ts';
import type { Upstream } from '../../upstream/index.ts';

type Find = (uri: string) => { upstream: Upstream; uri: string } | undefined;

/** The resources one session wants to hear of. Each is wanted under a key: a legacy session, or one `listen` stream. */
export class ResourceSubscriptions {
  readonly #find: Find;
  readonly #wanted = new Map<string, Map<string, { upstream: Upstream; own: string }>>();

  constructor(find: Find) {
    this.#find = find;
  }

  async add(key: string, uri: string): Promise<void> {
    const found = this.#find(uri);
    if (!found) throw new PmlError('resource_not_found', `Resource not found: ${uri}`);
    const mine = this.#wanted.get(key) ?? new Map();
    this.#wanted.set(key, mine);
    if (mine.has(uri)) return;
    mine.set(uri, { upstream: found.upstream, own: found.uri });
    try {
      await found.upstream.subscribe(found.uri);
    } catch (error) {
      // Kept, it would make the next attempt look like a success.
      mine.delete(uri);
      throw error;
    }
  }

  /** One that cannot be heard of does not keep the others from being. */
  async addAll(key: string, uris: readonly string[]): Promise<void> {
    await Promise.all(uris.map((uri) => this.add(key, uri)));
  }

  async drop(key: string, uris?: readonly string[]): Promise<void> {
    const mine = this.#wanted.get(key);
    if (!mine) return;
    for (const uri of uris ?? [...mine.keys()]) {
      const watch = mine.get(uri);
      mine.delete(uri);
      await watch?.upstream.unsubscribe(watch.own);
    }
    if (mine.size === 0) this.#wanted.delete(key);
  }

  /** The URIs, as this session knows them, that a server's update concerns. */
  concerned(upstream: Upstream, own: string): string[] {
    const uris = new Set<string>();
    for (const mine of this.#wanted.values()) {
      for (const [uri, watch] of mine) if (watch.upstream === upstream && watch.own === own) uris.add(uri);
    }
    return [...uris];
  }

  async close(): Promise<void> {
    // The servers may be gone; nobody waits for their word.
    await Promise.allSettled([...this.#wanted.keys()].map((key) => this.drop(key)));
  }
}
