import type { Choices } from '../choices.ts';

/** The value of a variable of a random program, as far as the generator knows. Mistakes are part of the test. */
export type Kind =
  | 'text'
  | 'number'
  | 'list'
  | 'object'
  | 'result'
  | 'promise'
  /** Takes a text and a number, and calls a tool. */
  | 'function'
  /** Takes the arguments of a tool. */
  | 'tool'
  | 'client';

interface Variable {
  readonly name: string;
  readonly kind: Kind;
  readonly assignable: boolean;
}

/** Few names, so that inner scopes often hide outer ones. */
const NAMES = ['a', 'b', 'c', 'd', 'e', 'x', 'y', 'item', 'out', 'value'];

/** The variables that a place in a random program sees. */
export class RandomScope {
  readonly #choices: Choices;
  readonly #scopes: Variable[][] = [[]];
  #fresh = 0;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  within<T>(write: () => T): T {
    this.#scopes.push([]);
    const written = write();
    this.#scopes.pop();
    return written;
  }

  /** Picks a variable of a kind that no inner one hides. */
  pick(kind: Kind, assignable = false): string | undefined {
    const visible = new Map(this.#scopes.flat().map((variable) => [variable.name, variable]));
    const found = [...visible.values()].filter((one) => one.kind === kind && (one.assignable || !assignable));
    return found.length > 0 ? this.#choices.one(found).name : undefined;
  }

  /** Reserves a name in the innermost scope; the variable is seen only once it is declared. */
  reserve(): string {
    const here = this.#scopes.at(-1) as Variable[];
    const free = NAMES.filter((name) => !here.some((one) => one.name === name));
    if (free.length > 0 && this.#choices.below(3) > 0) return this.#choices.one(free);
    this.#fresh += 1;
    return `v${this.#fresh}`;
  }

  declare(name: string, kind: Kind, assignable = false): void {
    (this.#scopes.at(-1) as Variable[]).push({ name, kind, assignable });
  }
}
