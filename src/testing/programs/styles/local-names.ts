import type { Choices } from '../choices.ts';
import type { Style } from './procedure.ts';

const RESERVED = new Set(
  'mcp args console await async break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield arguments eval Promise Object Array Math Date JSON Error'.split(
    ' ',
  ),
);

/** Hands out local names in one manner, none of them twice. */
export class LocalNames {
  readonly #taken = new Set(RESERVED);
  readonly #manner: Style['names'];
  readonly #choices: Choices;
  #count = 0;

  constructor(manner: Style['names'], choices: Choices) {
    this.#manner = manner;
    this.#choices = choices;
  }

  /** Returns a new name for something, such as the argument `file_name`. */
  fresh(about: string, numbered = 'value'): string {
    const base = this.#spell(about, numbered);
    let name = base;
    for (let count = 2; this.#taken.has(name); count++) name = `${base}${count}`;
    this.#taken.add(name);
    return name;
  }

  #spell(about: string, numbered: string): string {
    const plain = about.replace(/\W+/g, '_').replace(/^(?=\d)/, '_') || '_';
    switch (this.#manner) {
      case 'by key':
        return plain;
      case 'camel case':
        return plain.replace(/_([A-Za-z])/g, (_, letter: string) => letter.toUpperCase());
      case 'numbered':
        this.#count += 1;
        return `${numbered}${this.#count}`;
      case 'prefixed':
        return `${this.#choices.one(['my', 'the', 'target', 'input'])}${plain[0]?.toUpperCase()}${plain.slice(1)}`;
    }
  }
}
