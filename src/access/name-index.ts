import { suggestNames } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Upstream } from '../upstream/index.ts';
import { foldToolName, listedNames, type Nameable, type NameStyle, plainNames } from './listed-names.ts';

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

/** A part of an index: the entries that are accepted. */
interface Part {
  readonly whole: NameIndex;
  readonly accepts: (entry: DirectoryEntry) => boolean;
}

/** Tools or prompts by name: each is listed under one name and found by any spelling of it. */
export class NameIndex {
  readonly #noun: string;
  readonly #style: NameStyle;
  /** A part looks names up in the whole, so that many agents need little memory. */
  readonly #part: Part | undefined;
  readonly #exact = new Map<string, DirectoryEntry>();
  #entries: readonly DirectoryEntry[] | undefined;
  #isPlain: boolean | undefined;
  #others: ReadonlyMap<string, DirectoryEntry> | undefined;
  /** By folded name: the only one that has it, or several. */
  #loose: ReadonlyMap<string, DirectoryEntry | readonly DirectoryEntry[]> | undefined;

  constructor(noun: string, given: readonly DirectoryEntry[] | Part, style: NameStyle = 'mcp') {
    this.#noun = noun;
    this.#style = style;
    if ('whole' in given) {
      this.#part = given;
      return;
    }
    const names = listedNames(given.map(nameable), style);
    const entries = given
      .map((one, index) => listedAs(one, names[index] as string))
      .sort((a, b) => (String(a.listed.name) < String(b.listed.name) ? -1 : 1));
    this.#entries = entries;
    for (const one of entries) this.#exact.set(String(one.listed.name), one);
    for (const one of entries) {
      const spelt = `${one.upstream.name}:${one.own}`;
      if (!this.#exact.has(spelt)) this.#exact.set(spelt, one);
    }
  }

  get #otherStyle(): NameStyle {
    return this.#style === 'mcp' ? 'short' : 'mcp';
  }

  get entries(): readonly DirectoryEntry[] {
    this.#entries ??= this.#part?.whole.entries.filter(this.#part.accepts) ?? [];
    return this.#entries;
  }

  /** Makes an index of some of the entries; undefined if the entries might get other names without the rest. */
  partOf(accepts: Part['accepts']): NameIndex | undefined {
    this.#isPlain ??= [this.#style, this.#otherStyle].every((style) =>
      plainNames(this.entries.map(nameable), style),
    );
    return this.#isPlain ? new NameIndex(this.#noun, { whole: this, accepts }, this.#style) : undefined;
  }

  /** True if one is listed under exactly this name, or is exactly this `server:name`. */
  has(name: string): boolean {
    return this.#exactly(name) !== undefined;
  }

  /** As `find`, but undefined if there is none. */
  lookup(name: string): DirectoryEntry | undefined {
    return this.#exactly(name) ?? this.#inOtherStyle(name) ?? this.#findLoosely(name);
  }

  #exactly(name: string): DirectoryEntry | undefined {
    return this.#part ? this.#accepted(this.#part.whole.#exactly(name)) : this.#exact.get(name);
  }

  #accepted(entry: DirectoryEntry | undefined): DirectoryEntry | undefined {
    return entry && this.#part?.accepts(entry) ? entry : undefined;
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
  #inOtherStyle(name: string): DirectoryEntry | undefined {
    if (this.#part) return this.#accepted(this.#part.whole.#inOtherStyle(name));
    this.#others ??= new Map(
      listedNames(this.entries.map(nameable), this.#otherStyle).map((name, index) => [
        name,
        this.entries[index] as DirectoryEntry,
      ]),
    );
    return this.#others.get(name);
  }

  #findLoosely(name: string): DirectoryEntry | undefined {
    // Only capabilities have versions, which follow an @.
    if (name.includes('@')) return undefined;
    const loose = this.#spelledAlike(foldToolName(name));
    if (loose.length < 2) return loose[0];
    const names = loose.map((one) => `"${one.listed.name}"`).join(' and ');
    throw new PmlError('ambiguous_name', `"${name}" could mean ${names}. Use one of these names.`);
  }

  #spelledAlike(folded: string): readonly DirectoryEntry[] {
    if (this.#part) return this.#part.whole.#spelledAlike(folded).filter(this.#part.accepts);
    this.#loose ??= this.#foldedNames();
    const found = this.#loose.get(folded);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found as DirectoryEntry];
  }

  /** Built on demand: few names are misspelt, so most indexes never need it. */
  #foldedNames(): Map<string, DirectoryEntry | DirectoryEntry[]> {
    const folded = new Map<string, DirectoryEntry | DirectoryEntry[]>();
    const add = (key: string, one: DirectoryEntry) => {
      const known = folded.get(key);
      if (known === undefined) folded.set(key, one);
      else if (!Array.isArray(known) && known !== one) folded.set(key, [known, one]);
      else if (Array.isArray(known) && !known.includes(one)) known.push(one);
    };
    for (const one of this.entries) {
      const { own, upstream, listed } = one;
      add(foldToolName(`${upstream.name}:${own}`), one);
      add(foldToolName(String(listed.name)), one);
      if (!upstream.server.prefix || this.#style === 'own') add(foldToolName(own), one);
    }
    return folded;
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

/** The lists of agents share entries, since they show the same tools, mostly under the same names. */
const shared = new WeakMap<JsonObject, DirectoryEntry>();

function listedAs(entry: DirectoryEntry, name: string): DirectoryEntry {
  const known = shared.get(entry.listed);
  if (known?.upstream === entry.upstream && known.listed.name === name) return known;
  const named = { ...entry, listed: { ...entry.listed, name } };
  shared.set(entry.listed, named);
  return named;
}

function nameable({ upstream, own }: DirectoryEntry): Nameable {
  return { server: upstream.name, name: own, prefix: upstream.server.prefix };
}
