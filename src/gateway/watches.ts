import type { Upstream } from '../upstream/index.ts';

type Find = (uri: string) => { upstream: Upstream; uri: string } | undefined;

/** The resources one session wants to hear of. Each is wanted under a key: a legacy session, or one `listen` stream. */
export class Watches {
  readonly #find: Find;
  readonly #wanted = new Map<string, Map<string, { upstream: Upstream; own: string }>>();

  constructor(find: Find) {
    this.#find = find;
  }

  async add(key: string, uris: readonly string[]): Promise<void> {
    const mine = this.#wanted.get(key) ?? new Map();
    this.#wanted.set(key, mine);
    for (const uri of uris) {
      const found = this.#find(uri);
      if (!found || mine.has(uri)) continue;
      mine.set(uri, { upstream: found.upstream, own: found.uri });
      await found.upstream.subscribe(found.uri);
    }
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
