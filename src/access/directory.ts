import { suggestNames } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Catalog, Upstream } from '../upstream/index.ts';
import { toClientTools } from './client-schemas.ts';
import { foldToolName, listedNames } from './listed-names.ts';

/** One thing a server offers, and the name it has here. */
export interface Entry {
  readonly listed: JsonObject;
  readonly upstream: Upstream;
  /** Its name at the server: a tool's or prompt's name, a resource's URI, a template. */
  readonly own: string;
}

/** Everything the servers of one workspace offer together, under names that are unique. */
export interface Directory {
  readonly tools: NameIndex;
  readonly prompts: NameIndex;
  readonly resources: readonly Entry[];
  readonly templates: readonly Entry[];
  /** The server that has this resource, and the resource's URI there. */
  resource(uri: string): { upstream: Upstream; uri: string } | undefined;
}

/** Enough to find what was meant; all of them would take too long for a mistake. */
const CONSIDERED = 5000;
/** The time that it takes to compare two names grows with the square of their length. */
const LONGEST_COMPARED = 200;

/** A resource that another server has under the same URI is listed under this scheme, so that neither is lost. */
const DISAMBIGUATED = 'pml-resource://';

export function buildDirectory(upstreams: readonly Upstream[]): Directory {
  const tools = new NameIndex(
    'tool',
    upstreams.flatMap((upstream) => allowedTools(upstream).map((tool) => entry(upstream, tool.name, tool))),
  );
  const prompts = new NameIndex(
    'prompt',
    upstreams.flatMap((upstream) =>
      upstream.catalog.prompts.map((prompt) => entry(upstream, prompt.name, prompt)),
    ),
  );
  const resources = unshared(upstreams, 'resources', 'uri');
  const templates = unshared(upstreams, 'templates', 'uriTemplate');
  const byUri = new Map(resources.map((one) => [String(one.listed.uri), one]));
  return {
    tools,
    prompts,
    resources,
    templates,
    resource: (uri) => {
      const known = byUri.get(uri);
      if (known) return { upstream: known.upstream, uri: known.own };
      return explicit(uri, upstreams) ?? byTemplate(uri, templates) ?? onlyOne(uri, upstreams);
    },
  };
}

/** Things found by name: listed under one spelling, found under every spelling. */
export class NameIndex {
  readonly entries: readonly Entry[];
  readonly #noun: string;
  readonly #exact = new Map<string, Entry>();
  readonly #loose = new Map<string, Set<Entry>>();

  constructor(noun: string, entries: readonly Entry[]) {
    this.#noun = noun;
    const names = listedNames(
      entries.map(({ upstream, own }) => ({
        server: upstream.name,
        name: own,
        prefix: upstream.server.prefix,
      })),
    );
    this.entries = entries
      .map((one, index) => ({ ...one, listed: { ...one.listed, name: names[index] as string } }))
      .sort((a, b) => (a.listed.name < b.listed.name ? -1 : 1));
    for (const one of this.entries) this.#index(one);
  }

  /** Whether a tool is listed under exactly this name, or is exactly this `server:tool`. */
  has(name: string): boolean {
    return this.#exact.has(name);
  }

  /** As `find`, for a name that may be something else. */
  lookup(name: string): Entry | undefined {
    return this.#exact.get(name) ?? this.#loosely(name);
  }

  /** Finds by any spelling; an exact one beats a loose one, and two loose hits are an error that lists both. */
  find(name: string): Entry {
    const found = this.lookup(name);
    if (found) return found;
    const near = this.nearest(name);
    const code = this.#noun === 'tool' ? 'tool_not_found' : 'prompt_not_found';
    throw new PmlError(code, `Unknown ${this.#noun}: ${name}${near ? `. Did you mean "${near}"?` : ''}`);
  }

  /** What was learned must not stand before a real tool. */
  refuse(name: string): void {
    const found = this.lookup(name);
    if (!found) return;
    throw new PmlError('name_taken', `"${name}" is the name of a tool of server "${found.upstream.name}".`, {
      hint: 'Choose another name: what was learned must not stand before a real tool.',
    });
  }

  #loosely(name: string): Entry | undefined {
    // What follows an @ is a version, which capabilities have.
    if (name.includes('@')) return undefined;
    const loose = [...(this.#loose.get(foldToolName(name)) ?? [])];
    if (loose.length < 2) return loose[0];
    const names = loose.map((one) => `"${one.listed.name}"`).join(' and ');
    throw new PmlError('ambiguous_name', `"${name}" could mean ${names}. Use one of these names.`);
  }

  #index(one: Entry): void {
    const { name } = one.listed as { name: string };
    const spelt = `${one.upstream.name}:${one.own}`;
    this.#exact.set(name, one);
    if (!this.#exact.has(spelt)) this.#exact.set(spelt, one);
    const spellings = [name, spelt, ...(one.upstream.server.prefix ? [] : [one.own])];
    for (const spelling of spellings) {
      const key = foldToolName(spelling);
      const set = this.#loose.get(key) ?? new Set();
      this.#loose.set(key, set.add(one));
    }
  }

  /** The listed name that was most likely meant, whichever way it was spelt. */
  nearest(name: string): string | undefined {
    if (name.length > LONGEST_COMPARED) return undefined;
    const spellings = new Map(
      this.entries.slice(0, CONSIDERED).flatMap(({ listed, own, upstream }) => {
        const shown = String(listed.name);
        const spellings = [own, `${upstream.name}:${own}`, shown];
        return spellings.flatMap((one) => (one.length > LONGEST_COMPARED ? [] : [[one, shown] as const]));
      }),
    );
    const [near] = suggestNames(name, spellings.keys(), 1);
    return near === undefined ? undefined : spellings.get(near);
  }
}

function entry(upstream: Upstream, own: string, listed: JsonObject): Entry {
  return { upstream, own, listed };
}

function allowedTools({ server, catalog }: Upstream): Catalog['tools'] {
  const { tools } = server;
  const all = toClientTools(catalog);
  return tools ? all.filter(({ name }) => tools.includes(name)) : all;
}

function unshared(upstreams: readonly Upstream[], kind: 'resources' | 'templates', key: string): Entry[] {
  const taken = new Set<string>();
  const entries = upstreams.flatMap((upstream) =>
    upstream.catalog[kind].map((item) => {
      const own = String((item as JsonObject)[key]);
      const shown = taken.has(own) ? `${DISAMBIGUATED}${upstream.name}/${own}` : own;
      taken.add(shown);
      return entry(upstream, own, { ...item, [key]: shown });
    }),
  );
  return entries.sort((a, b) => (String(a.listed[key]) < String(b.listed[key]) ? -1 : 1));
}

function explicit(
  uri: string,
  upstreams: readonly Upstream[],
): { upstream: Upstream; uri: string } | undefined {
  if (!uri.startsWith(DISAMBIGUATED)) return undefined;
  const rest = uri.slice(DISAMBIGUATED.length);
  const upstream = upstreams.find(({ name }) => rest.startsWith(`${name}/`));
  return upstream && { upstream, uri: rest.slice(upstream.name.length + 1) };
}

function byTemplate(
  uri: string,
  templates: readonly Entry[],
): { upstream: Upstream; uri: string } | undefined {
  const hit = templates.find(({ own }) => fits(own, uri));
  return hit && { upstream: hit.upstream, uri };
}

/** Servers may answer for URIs that they never list; without a sign which, only a single candidate can be meant. */
function onlyOne(
  uri: string,
  upstreams: readonly Upstream[],
): { upstream: Upstream; uri: string } | undefined {
  const able = upstreams.filter(({ catalog }) => catalog.capabilities.resources);
  return able.length === 1 && able[0] ? { upstream: able[0], uri } : undefined;
}

/** Whether the URI could be made from the template: its fixed parts, in order. */
function fits(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const last = parts.pop() as string;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = uri.indexOf(part, at);
    if (found === -1 || (index === 0 && found !== 0)) return false;
    at = found + part.length;
  }
  return parts.length === 0 ? uri === last : uri.length - last.length >= at && uri.endsWith(last);
}
