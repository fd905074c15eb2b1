import type { Node } from '../syntax/ast.ts';
import type { Binding } from '../syntax/scope.ts';
import type { Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

export type FunctionNode = Extract<Node, { params: unknown; generator: boolean; async: boolean }>;

/** The values that a variable can hold while a program is read. */
export type Value =
  | { readonly kind: 'term'; readonly term: Term }
  /** An object or array that the program built, by its place on the heap. */
  | { readonly kind: 'built'; readonly at: number }
  | { readonly kind: 'closure'; readonly node: FunctionNode; readonly frame: Frame }
  | PromiseValue
  /** `mcp`, a server or a tool. */
  | { readonly kind: 'mcp'; readonly path: readonly string[] }
  /** A function or namespace of the language, such as `Math` or `Promise.all`. */
  | { readonly kind: 'builtin'; readonly path: string }
  /** The length that `push` returns, where only the run knows it. */
  | { readonly kind: 'length' }
  | MappedValue;

export interface PromiseValue {
  readonly kind: 'promise';
  readonly value: Value;
  /** The calls that must end first. */
  readonly calls: readonly number[];
  /** The terms that are computed when the promise is awaited, and may throw. */
  readonly computes: readonly Term[];
}

/** `list.map(async …)` over a list that only the run knows: promises that can only be awaited together. */
export interface MappedValue {
  readonly kind: 'mapped';
  readonly list: Term;
  readonly closure: Value & { readonly kind: 'closure' };
  /** How many calls there were when it was made. */
  readonly calls: number;
}

/** An object or array that the program builds and may change. */
export type Built =
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, Value> }
  /** An object with keys that only the run knows, as a list of `[key, value]`; the last value of a key counts. */
  | { readonly kind: 'dictionary'; readonly items: readonly Item[] }
  | { readonly kind: 'array'; readonly items: readonly Item[] };

/** An item of an array, or, if `isSpread`, all items of a list that only the run knows. */
export type Item = { readonly value: Value; readonly isSpread: boolean };

/** The local names of one block or one call of a function. */
export class Frame {
  readonly parent: Frame | undefined;
  readonly #isFunction: boolean;
  readonly #cells = new Map<Binding, number>();

  constructor(parent: Frame | undefined, isFunction = false) {
    this.parent = parent;
    this.#isFunction = isFunction;
  }

  /** The frame that a `var` belongs to. */
  get ofFunction(): Frame {
    return this.#isFunction || !this.parent ? this : this.parent.ofFunction;
  }

  declare(binding: Binding, cell: number): void {
    this.#cells.set(binding, cell);
  }

  cellOf(binding: Binding): number | undefined {
    return this.#cells.get(binding) ?? this.parent?.cellOf(binding);
  }
}

/** All that can change while a program is read. A branch is read on a copy. */
export class State {
  readonly cells: Map<number, Value>;
  readonly heap: Map<number, Built>;
  /** Calls whose promise nobody has awaited yet. */
  readonly unawaited: Set<number>;
  /** The heap objects read in each round of the loops that are being read, the outermost loop first. */
  readers: readonly Set<number>[];
  /** Terms that the program has computed and no step has used yet, and that may throw. */
  pending: Term[];

  constructor(from?: State) {
    this.cells = new Map(from?.cells);
    this.heap = new Map(from?.heap);
    this.unawaited = new Set(from?.unawaited);
    this.readers = from?.readers ?? [];
    this.pending = [];
  }

  built(at: number): Built {
    for (const reader of this.readers) reader.add(at);
    return this.builtForChange(at);
  }

  /** Like `built`, but does not count as a read: for code that only changes the object. */
  builtForChange(at: number): Built {
    const built = this.heap.get(at);
    if (!built) throw new Unreadable('a value from another branch');
    return built;
  }
}

export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a?.kind === 'term' && b?.kind === 'term') return a.term === b.term;
  return a?.kind === 'built' && b?.kind === 'built' && a.at === b.at;
}

export function sameBuilt(a: Built, b: Built | undefined): boolean {
  if (a === b) return true;
  if (a.kind !== 'object') {
    const items = b?.kind === a.kind ? b.items : undefined;
    return (
      items?.length === a.items.length &&
      a.items.every(
        ({ value, isSpread }, at) => items[at]?.isSpread === isSpread && sameValue(value, items[at]?.value),
      )
    );
  }
  const entries = b?.kind === 'object' ? [...b.entries] : undefined;
  return (
    entries?.length === a.entries.size &&
    [...a.entries].every(([key, value], at) => entries[at]?.[0] === key && sameValue(value, entries[at]?.[1]))
  );
}
