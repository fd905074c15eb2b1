import type { Json } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';

/** The sort of a datum decides its first value and the others that it is tried with. */
export type Sort =
  | 'word'
  | 'plain'
  | 'common'
  | 'small'
  | 'large'
  | 'flag'
  | 'folder'
  | 'prefix'
  | 'date'
  | 'words'
  | 'digits';

const POOLS: Record<Sort, { readonly first: readonly Json[]; readonly others: readonly Json[] }> = {
  word: {
    first: ['Globex', 'acme-web', 'rocket7', 'Oslo', '#ops'],
    others: ['Initech', 'x', '', `it's "q" \`\${1}\` \\n`, 'two words', '0'],
  },
  plain: { first: ['web', 'api', 'docs', 'eu'], others: ['shop', 'us-east', '', 'a/b', 'WEB'] },
  common: {
    first: ['open', 'closed', 'active', 'csv'],
    others: ['waiting', 'paid', '', 'json', 'open', 'closed'],
  },
  small: { first: [3, 5, 2, 4], others: [1, 6, 0, 7] },
  large: { first: [25.5, 400, 30, 250, 12], others: [0, 99, 1000, 7.25, 40] },
  flag: { first: [false, true], others: [true, false] },
  folder: {
    first: ['/data/reports', 'src/pages', '/srv/out', 'home'],
    others: ['/tmp/x', 'lib', '/a/b/c', ''],
  },
  prefix: { first: ['/data/', 'src/', '/srv/', '.md'], others: ['/tmp/', '', 'secret/', 's'] },
  date: { first: ['2026-03-02', '2026-01-31'], others: ['2025-12-24', '2024-02-29'] },
  words: {
    first: [
      ['Oslo', 'Bergen'],
      ['web', 'api', 'docs'],
      ['Globex', 'Initech', 'Umbrella'],
    ],
    others: [['Lyon'], [], ['a', 'b', 'c', 'd'], ['Lyon', 'Lyon']],
  },
  digits: { first: ['5', '101', '7'], others: ['0', '12', '250'] },
};

/** If one of these stands twice in a program, it means one thing. Of others only a name can say so. */
const DISTINCTIVE = new Set<Sort>(['word', 'folder', 'date', 'words']);

/** How a program holds its data. */
const PLACEMENTS = ['inline', 'inline', 'const', 'options', 'destructured', 'function', 'mixed'] as const;
const TEXTS = ['template', 'written', 'joined'] as const;

/** A datum of the program that is being written. */
export interface Hole {
  readonly key: string;
  /** An expression for it. */
  readonly use: string;
  /** A text around it, as an expression: `text('in ', '!')`. */
  readonly text: (before: string, after: string) => string;
}

/** A program with holes where its data stands. */
export interface DataProgram {
  /** `«key»` stands for a literal; `«key!»` for its characters in a double-quoted text. */
  readonly text: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly others: Readonly<Record<string, readonly Json[]>>;
}

/** Collects the data and the statements of a program. */
export class Draft {
  readonly choices: Choices;
  readonly #placement: (typeof PLACEMENTS)[number];
  readonly #values: Record<string, Json> = {};
  readonly #others: Record<string, readonly Json[]> = {};
  readonly #holes = new Map<string, { hole: Hole; sort: Sort }>();
  readonly #named: string[] = [];
  readonly #lines: string[] = [];
  readonly #results: string[] = [];
  #names = 0;

  constructor(choices: Choices) {
    this.choices = choices;
    this.#placement = choices.one(PLACEMENTS);
  }

  /** A new local name. */
  name(word: string): string {
    this.#names += 1;
    return `${word}${this.#names}`;
  }

  /** A datum: now and then one that the program uses already. */
  hole(key: string, sort: Sort): Hole {
    const isShared = (one: { hole: Hole; sort: Sort }) =>
      one.sort === sort && (DISTINCTIVE.has(sort) || !one.hole.use.startsWith('«'));
    const known = [...this.#holes.values()].filter(isShared);
    if (known.length > 0 && this.choices.maybe(40)) return this.choices.one(known).hole;
    let free = key;
    for (let at = 2; Object.hasOwn(this.#values, free); at += 1) free = `${key}${at}`;
    const { first, others } = POOLS[sort];
    this.#values[free] = this.choices.one(first);
    this.#others[free] = others;
    const hole = this.#place(free);
    this.#holes.set(free, { hole, sort });
    return hole;
  }

  /** A value that is no datum; it may equal one by chance. */
  fixed(sort: Sort): string {
    return JSON.stringify(this.choices.one(POOLS[sort].first));
  }

  add(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  /** An expression to return. */
  result(expression: string, key = `r${this.#results.length}`): void {
    this.#results.push(`${key}: ${expression}`);
  }

  finish(): DataProgram {
    return { text: this.#text(), values: this.#values, others: this.#others };
  }

  #place(key: string): Hole {
    const isInline = this.#placement === 'inline' || (this.#placement === 'mixed' && this.choices.maybe(50));
    if (!isInline) this.#named.push(key);
    const use = isInline ? `«${key}»` : this.#placement === 'options' ? `options.${key}` : key;
    const text = (before: string, after: string) => this.#write(key, use, isInline, before, after);
    return { key, use, text };
  }

  #write(key: string, use: string, isInline: boolean, before: string, after: string): string {
    const way = this.choices.one(TEXTS);
    if (way === 'written' && isInline) return `"${before}«${key}!»${after}"`;
    if (way !== 'joined') return `\`${before}\${${use}}${after}\``;
    return [before && `"${before}"`, use, after && `"${after}"`]
      .filter((part) => part !== '')
      .join(' + ')
      .replace(/^(?!")/, '"" + ');
  }

  #text(): string {
    const body = [...this.#lines, `return { ${this.#results.join(', ')} };`];
    const named = this.#named;
    if (named.length === 0) return body.join('\n');
    const pairs = named.map((key) => `${key}: «${key}»`).join(', ');
    switch (this.#placement) {
      case 'options':
        return [`const options = { ${pairs} };`, ...body].join('\n');
      case 'destructured':
        return [`const { ${named.join(', ')} } = { ${pairs} };`, ...body].join('\n');
      case 'function':
        return [
          `async function main(${named.join(', ')}) {`,
          ...body.map((line) => `  ${line}`),
          '}',
          `return await main(${named.map((key) => `«${key}»`).join(', ')});`,
        ].join('\n');
      default:
        return [...named.map((key) => `const ${key} = «${key}»;`), ...body].join('\n');
    }
  }
}

/** The program with values written in. */
export function writeIn({ text }: DataProgram, values: Readonly<Record<string, Json>>): string {
  return text.replace(/«(\w+)(!?)»/g, (_, key: string, isRaw: string) => {
    const value = values[key] as Json;
    return isRaw ? JSON.stringify(String(value)).slice(1, -1) : JSON.stringify(value);
  });
}
