import { allowedTools, type DirectoryEntry, type NameIndex } from '../../access/index.ts';
import type { DiscoveryEntry, DiscoveryIndex } from '../../discovery/index.ts';
import { isJsonSchema } from '../../json.ts';
import type { Catalog, Upstream } from '../../upstream/index.ts';
import { inTimeSlices } from './time-slices.ts';

const PREFIX = 'tool:';
/** How much of a title or description is indexed, in characters. */
const MAX_DESCRIPTION = 4000;

/** Keeps an index in step with the tools that servers list. */
export class IndexedTools {
  readonly #index: DiscoveryIndex;
  /** The last index entries of each server. */
  readonly #servers = new Map<string, { catalog: Catalog; ids: ReadonlySet<string> }>();
  readonly #synced = new WeakSet<NameIndex>();
  #last: Promise<void> = Promise.resolve();

  constructor(index: DiscoveryIndex) {
    this.#index = index;
  }

  /** Brings the index up to date with what a session can reach. A tool that its server dropped is no longer found. */
  sync(tools: NameIndex): Promise<void> {
    if (this.#synced.has(tools)) return this.#last;
    this.#synced.add(tools);
    this.#last = this.#last
      .catch(() => {})
      .then(() => this.#sync(tools))
      .catch((error) => {
        this.#synced.delete(tools);
        throw error;
      });
    return this.#last;
  }

  async #sync(tools: NameIndex): Promise<void> {
    for (const upstream of serversOf(tools)) {
      const { name, catalog, server } = upstream;
      const before = this.#servers.get(name);
      if (before?.catalog === catalog) continue;
      // All tools of the server, even if this session may use only some: other sessions find the rest.
      const entries = allowedTools(upstream).map((tool) => ({ upstream, own: tool.name, listed: tool }));
      const ids = new Set(entries.map(toolId));
      this.#servers.set(name, { catalog, ids });
      await inTimeSlices(entries, (entry) => this.#index.put(entryOf(entry)));
      // Another session's process of the same server may still have the dropped tools.
      if (server.perSession) continue;
      await inTimeSlices(before?.ids ?? [], (id) => {
        if (!ids.has(id)) this.#index.remove(id);
      });
    }
  }
}

function serversOf(tools: NameIndex): Set<Upstream> {
  return new Set(tools.entries.map(({ upstream }) => upstream));
}

export function toolId({
  upstream,
  own,
}: Pick<DirectoryEntry, 'own'> & { upstream: { name: string } }): string {
  return `${PREFIX}${upstream.name}:${own}`;
}

/** Finds the tool of an id among those that a session can reach. */
export function toolOf(id: string, tools: NameIndex): DirectoryEntry | undefined {
  const spelt = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined;
  const found = spelt !== undefined && tools.has(spelt) ? tools.lookup(spelt) : undefined;
  return found && toolId(found) === id ? found : undefined;
}

function entryOf(entry: DirectoryEntry): DiscoveryEntry {
  const { title, description, inputSchema } = entry.listed;
  return {
    id: toolId(entry),
    kind: 'tool',
    server: entry.upstream.name,
    name: entry.own,
    ...(typeof title === 'string' && { title: title.slice(0, MAX_DESCRIPTION) }),
    description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '',
    inputSchema: isJsonSchema(inputSchema) ? inputSchema : {},
  };
}
