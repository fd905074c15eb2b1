import { suggestNames } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Upstream } from '../upstream/index.ts';
import { foldToolName, listedNames, type Nameable, type NameStyle } from './listed-names.ts';

/** A tool, prompt, resource or template of a server, as it is listed here. */
export interface DirectoryEntry {
  readonly listed: JsonObject;
  readonly upstream: Upstream;
  /** Its own name at the server: the name of a tool or prompt, the URI of a resource, a URI template. */
  readonly own: string;
}

/** Enough to guess what was meant; comparing all names would take too long for a misspelling. */
const MAX_CANDIDATES = 5000;
/** The time to compare two names grows with the square of their length. */
const MAX_COMPARED = 200;

/** Tools or prompts by name: each is listed under one name and found by any spelling of it. */
export class NameIndex {
  readonly entries: readonly DirectoryEntry[];
  readonly #noun: string;
  readonly #style: NameStyle;
  readonly #exact = new Map<string, DirectoryEntry>();
  #others: ReadonlyMap<string, DirectoryEntry> | undefined;
  readonly #loose = new Map<string, Set<DirectoryEntry>>();

  constructor(noun: string, entries: readonly DirectoryEntry[], style: NameStyle = 'mcp') {
    this.#noun = noun;
    this.#style = style;
    const names = listedNames(entries.map(nameable), style);
    this.entries = entries
      .map((one, index) => ({ ...one, listed: { ...one.listed, name: names[index] as string } }))
      .sort((a, b) => (a.listed.name < b.listed.name ? -1 : 1));
    for (const one of this.entries) this.#index(one);
  }

  /** True if one is listed under exactly this name, or is exactly this `server:name`. */
  has(name: string): boolean {
    return this.#exact.has(name);
  }

  /** As `find`, but undefined if there is none. */
  lookup(name: string): DirectoryEntry | undefined {
    return this.#exact.get(name) ?? this.#byOtherStyle().get(name) ?? this.#findLoosely(name);
  }

  /** Finds by any spelling. An exact one beats a loose one, and two loose matches are an error that lists both. */
  find(name: string): DirectoryEntry {
    const found = this.lookup(name);
    if (found) return found;
    const near = this.nearest(name);
    const code = this.#noun === 'tool' ? 'tool_not_found' : 'prompt_not_found';
    throw new PmlError(code, `Unknown ${this.#noun}: ${name}${near ? `. Did you mean "${near}"?` : ''}`);
  }

  /** Throws if a server has a tool of this name: a capability must not hide it. */
  assertFree(name: string): void {
    const found = this.lookup(name);
    if (!found) return;
    throw new PmlError('name_taken', `"${name}" is the name of a tool of server "${found.upstream.name}".`, {
      hint: 'Choose another name: a capability must not hide a tool of a server.',
    });
  }

  /** Finds by the names that the other style would list, so that a call works in each style. */
  #byOtherStyle(): ReadonlyMap<string, DirectoryEntry> {
    this.#others ??= new Map(
      listedNames(this.entries.map(nameable), this.#style === 'mcp' ? 'short' : 'mcp').map((name, index) => [
        name,
        this.entries[index] as DirectoryEntry,
      ]),
    );
    return this.#others;
  }

  #findLoosely(name: string): DirectoryEntry | undefined {
    // Only capabilities have versions, which follow an @.
    if (name.includes('@')) return undefined;
    const loose = [...(this.#loose.get(foldToolName(name)) ?? [])];
    if (loose.length < 2) return loose[0];
    const names = loose.map((one) => `"${one.listed.name}"`).join(' and ');
    throw new PmlError('ambiguous_name', `"${name}" could mean ${names}. Use one of these names.`);
  }

  #index(one: DirectoryEntry): void {
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

  /** Guesses the listed name that was meant, by any spelling. */
  nearest(name: string): string | undefined {
    if (name.length > MAX_COMPARED) return undefined;
    const spellings = new Map(
      this.entries.slice(0, MAX_CANDIDATES).flatMap(({ listed, own, upstream }) => {
        const shown = String(listed.name);
        const spellings = [own, `${upstream.name}:${own}`, shown];
        return spellings.flatMap((one) => (one.length > MAX_COMPARED ? [] : [[one, shown] as const]));
      }),
    );
    const [near] = suggestNames(name, spellings.keys(), 1);
    return near === undefined ? undefined : spellings.get(near);
  }
}

function nameable({ upstream, own }: DirectoryEntry): Nameable {
  return { server: upstream.name, name: own, prefix: upstream.server.prefix };
}
