import fc from 'fast-check';

/**
 * A random program that runs and uses most of the language. Its locals, quotes, types, parentheses and gaps are left open, so
 * that it can be printed in many ways that all mean the same.
 */
export interface Draft {
  readonly text: string;
  /** For each local, the outer local that it may shadow. */
  readonly shadowed: readonly (number | undefined)[];
}

/** The choices for printing a draft. */
export interface Style {
  readonly name: (local: number) => string;
  /** Returns a number from 0 to 1 for each choice of layout. */
  readonly chance: () => number;
}

// Marks in the text of a draft, from the private use area, which occurs nowhere else.
const LOCAL = ['\ue000', '\ue001'] as const;
const STRING = ['\ue002', '\ue003'] as const;
const TIGHT = '\ue004';
const PAREN = ['\ue005', '\ue006'] as const;
const TYPE = ['\ue007', '\ue008'] as const;
const END = '\ue009';
const KEY = ['\ue00a', '\ue00b'] as const;
const MEMBER = ['\ue00c', '\ue00d'] as const;

const mark = (pair: readonly [string, string], inner: string | number): string =>
  `${pair[0]}${inner}${pair[1]}`;
const str = (value: string): string => mark(STRING, JSON.stringify(value));
const key = (name: string): string => mark(KEY, name);
const member = (name: string): string => mark(MEMBER, name);
const typed = (type: string): string => mark(TYPE, `: ${type}`);

/** Tools with two words, so that they can be spelled in several ways, and literals of every kind. */
export const TOOLS = ['fs:read_file', 'fs:list_dir', 'gh:search', 'pg:run_query', 'util:sum-all'] as const;
const KEYS = ['path', 'limit', 'query', 'name', 'deep', 'id'] as const;
const TEXTS = [
  'a.json',
  'b',
  'main',
  'SELECT count(*) FROM t',
  'x "y" `z` $' + '{w}',
  'https://e.org/a?b=1',
  '',
  'de\u2028f\n',
];
const PROPS = ['n', 's', 'ok', 'items', 'deep'] as const;

class DraftGenerator {
  readonly #choices: readonly number[];
  #at = 0;
  #shadowed: (number | undefined)[] = [];
  #labels = 0;
  /** The number of functions around that are not async. */
  #sync = 0;

  /** Code that uses `args` has chosen its parameters, so half of the programs do not. */
  readonly #usesArgs: boolean;

  constructor(choices: readonly number[]) {
    this.#usesArgs = (choices[0] ?? 0) % 2 === 0;
    this.#choices = choices;
  }

  draft(): Draft {
    const visible: number[] = [];
    const body = this.#block(visible, 3 + this.#pick(5), 3);
    const text = `${body}return${TIGHT}${this.#value(visible, 2)}${END}`;
    return { text, shadowed: this.#shadowed };
  }

  /** Picks a number below `count`. Without choices left, it picks 0, the simplest case. */
  #pick(count: number): number {
    const value = this.#choices[this.#at] ?? 0;
    this.#at += 1;
    return value % count;
  }

  #one<T>(options: readonly T[]): T {
    return options[this.#pick(options.length)] as T;
  }

  #local(visible: number[]): string {
    const id = this.#shadowed.length;
    this.#shadowed.push(undefined);
    visible.push(id);
    return mark(LOCAL, id);
  }

  /** Names a function or class. It is not used as a value, since the text of a function depends on the layout. */
  #named(): string {
    return this.#local([]);
  }

  /** Names a local of a new scope. Now and then it may shadow an outer one, which is then no longer visible. */
  #inner(visible: number[]): string {
    const shadows = visible.length > 0 && this.#pick(3) === 2;
    const hidden = shadows ? visible.splice(this.#pick(visible.length), 1)[0] : undefined;
    const written = this.#local(visible);
    this.#shadowed[this.#shadowed.length - 1] = hidden;
    return written;
  }

  #block(visible: number[], statements: number, depth: number): string {
    let text = '';
    for (let count = 0; count < statements; count += 1) text += this.#statement(visible, depth);
    return text;
  }

  #braces(visible: readonly number[], depth: number): string {
    return `{ ${this.#block([...visible], 1 + this.#pick(2), depth - 1)} }`;
  }

  #statement(visible: number[], depth: number): string {
    const kind = depth <= 0 ? this.#pick(4) : this.#pick(16);
    switch (kind) {
      case 0: {
        const value = this.#value(visible, depth);
        return `const${TIGHT}${this.#local(visible)}${this.#type()} = ${value}${END}`;
      }
      case 1:
        return `${this.#call(visible, depth)}${END}`;
      case 2:
        return `log.push(${this.#value(visible, depth)})${END}`;
      case 3: {
        const value = this.#number(visible, depth);
        const name = this.#local(visible);
        return `let${TIGHT}${name}${this.#type('number')} = ${value}${END}${name} ${this.#one(['+=', '-=', '*='])} ${this.#number(visible, depth)}${END}`;
      }
      case 4:
        return `if (${this.#value(visible, depth)}) ${this.#braces(visible, depth)} else ${this.#braces(visible, depth)}`;
      case 5: {
        const inner = [...visible];
        const item = this.#local(inner);
        return `for (const${TIGHT}${item} of [${this.#value(visible, 1)}, ${this.#value(visible, 1)}]) ${this.#braces(inner, depth)}`;
      }
      case 6: {
        const inner = [...visible];
        const i = this.#inner(inner);
        return `for (let${TIGHT}${i} = 0; ${i} < ${1 + this.#pick(3)}; ${i}++) ${this.#braces(inner, depth)}`;
      }
      case 7:
        return this.#attempt(visible, depth);
      case 8:
        return this.#destructuring(visible, depth);
      case 9:
        return this.#functionStatement(visible, depth);
      case 10:
        return this.#classStatement(visible, depth);
      case 11:
        return `switch (${this.#number(visible, 1)}) { case 1: ${this.#block([...visible], 1, depth - 1)} break${END} default: ${this.#block([...visible], 1, depth - 1)} }`;
      case 12: {
        this.#labels += 1;
        const label = `l${this.#labels}`;
        const inner = [...visible];
        return `${label}: for (const${TIGHT}${this.#local(inner)} of [1, 2]) { for (;;) { ${this.#block(inner, 1, depth - 2)} ${this.#one(['break', 'continue'])}${TIGHT}${label}${END} } }`;
      }
      case 13:
        return `log.push(...(await${TIGHT}Promise.all([${this.#call(visible, 1)}, ${this.#call(visible, 1)}])))${END}`;
      case 14:
        return this.#alias(visible, depth);
      default:
        return `{ ${this.#block([...visible], 1 + this.#pick(2), depth - 1)} }`;
    }
  }

  /** Generates code inside a function that cannot await. */
  #inSync(write: () => string): string {
    this.#sync += 1;
    const text = write();
    this.#sync -= 1;
    return text;
  }

  #await(): string {
    return this.#sync > 0 ? '' : `await${TIGHT}`;
  }

  #type(type?: string): string {
    return this.#pick(2) === 1
      ? typed(type ?? this.#one(['any', 'unknown & any', 'Record<string, any> | any']))
      : '';
  }

  #attempt(visible: number[], depth: number): string {
    const inner = [...visible];
    const thrown = this.#pick(2) === 1 ? `throw${TIGHT}new${TIGHT}Error(${this.#text(visible)})${END}` : '';
    const body = `{ ${this.#block([...visible], 1, depth - 1)} ${thrown} }`;
    const error = this.#inner(inner);
    return `try ${body} catch (${error}) { log.push(${error}.message)${END} } finally ${this.#braces(visible, depth)}`;
  }

  #destructuring(visible: number[], depth: number): string {
    const source = this.#call(visible, depth);
    const [a, b, c] = [this.#local(visible), this.#local(visible), this.#local(visible)];
    return this.#pick(2) === 0
      ? `const { ${key('n')}: ${a}, ${key('deep')}: { ${key('s')}: ${b} = ${str('none')} }, ...${c} } = await${TIGHT}${source}${END}`
      : `const [${a} = 1, , ${b}, ...${c}] = [${this.#pick(9)}, 2, ${str('x')}, 4]${END}`;
  }

  #functionStatement(visible: number[], depth: number): string {
    const name = this.#named();
    const inner = [...visible];
    const [a, b] = [this.#inner(inner), this.#local(inner)];
    const body = `${this.#block([...inner], 1, depth - 1)} return${TIGHT}${this.#value(inner, 1)}${END}`;
    return `async${TIGHT}function${TIGHT}${name}(${a}${this.#type()}, ${b} = ${a}) { ${body} } log.push(await${TIGHT}${name}(${this.#value(visible, 1)}))${END}`;
  }

  #classStatement(visible: number[], depth: number): string {
    const name = this.#named();
    const inner = [...visible];
    const a = this.#inner(inner);
    const field = this.#inSync(() => this.#value(visible, 1));
    return `class${TIGHT}${name} { ${key('n')} = ${field}; static make(${a}${this.#type()}) { const${TIGHT}made = new${TIGHT}${name}(); made.items = [${a}]; return${TIGHT}made } get double() { return${TIGHT}[this.n, ${this.#number(visible, depth - 1)}] } } log.push(${name}.make(${this.#value(visible, 1)}).double)${END}`;
  }

  /** Refers to a tool through a local name. */
  #alias(visible: number[], depth: number): string {
    const [server, tool] = this.#one(TOOLS).split(':') as [string, string];
    const argument = this.#argument(visible, depth);
    const name = this.#local(visible);
    switch (this.#pick(5)) {
      case 0:
        return `const${TIGHT}${name} = mcp${member(server)}${member(tool)}${END}log.push(await${TIGHT}${name}(${argument}))${END}`;
      case 1:
        return `const { ${key(server)}: ${name} } = mcp${END}log.push(await${TIGHT}${name}${member(tool)}(${argument}))${END}`;
      case 2:
        return `const { ${key(tool)}: ${name} } = mcp${member(server)}${END}log.push(await${TIGHT}${name}(${argument}))${END}`;
      case 3:
        return `const${TIGHT}${name}${typed('any')} = mcp${END}log.push(await${TIGHT}${name}${member(server)}${member(tool)}(${argument}))${END}`;
      default:
        return `log.push(...(await${TIGHT}Promise.all([${argument}].map(mcp${member(server)}${member(tool)}))))${END}const${TIGHT}${name} = 0${END}`;
    }
  }

  #call(visible: number[], depth: number): string {
    const [server, tool] = this.#one(TOOLS).split(':') as [string, string];
    const written = this.#one([
      `mcp${member(server)}${member(tool)}`,
      `mcp[${str(`${server}:${tool}`)}]`,
      `mcp${member(server)}${member(camel(tool))}`,
      `mcp?.${server}?.[${str(tool)}]`,
    ]);
    return `${this.#pick(2) === 1 ? this.#await() : ''}${written}(${this.#argument(visible, depth)})`;
  }

  #argument(visible: number[], depth: number): string {
    const members: string[] = [];
    for (let count = this.#pick(4); count > 0; count -= 1) {
      const name = this.#one(KEYS);
      members.push(
        this.#one([
          () => `${key(name)}: ${this.#literal()}`,
          () => `${key(name)}: ${this.#value(visible, depth - 1)}`,
          () => `${key(name)}: [${this.#literal()}, ${this.#literal()}]`,
          () =>
            `${key(name)}: { ${key('inner')}: ${this.#literal()}, ${key('list')}: [{ ${key('id')}: ${this.#literal()} }] }`,
          () => `${key(name)}: ${this.#arg()}`,
          () => `...{ ${key(name)}: ${this.#literal()} }`,
        ])(),
      );
    }
    return `{ ${members.join(', ')} }`;
  }

  #literal(): string {
    return this.#one([
      () => str(this.#one(TEXTS)),
      () => str(`file-${this.#pick(1000)}.json`),
      () => `${this.#pick(50)}`,
      () => `-${1 + this.#pick(5)}`,
      () => 'true',
      () => 'null',
    ])();
  }

  /** Reads an argument of the program: some are required, some have a default. */
  #arg(): string {
    if (!this.#usesArgs) return this.#literal();
    return this.#one(['args.given', `(args.count ?? 3)`, `(args.word || ${str('w')})`, 'args.given']);
  }

  #text(visible: number[]): string {
    return `\`t${TIGHT}\${${this.#value(visible, 0)}}\``;
  }

  #number(visible: number[], depth: number): string {
    return depth <= 0 || this.#pick(2) === 0
      ? `${this.#pick(7)}`
      : `(${this.#number(visible, depth - 1)} ${this.#one(['+', '-', '*', '%', '|'])} ${this.#number(visible, depth - 1)})`;
  }

  #value(visible: number[], depth: number): string {
    const kind = depth <= 0 ? this.#pick(4) : this.#pick(15);
    switch (kind) {
      case 0:
        return this.#literal();
      case 1:
        return visible.length > 0 ? mark(LOCAL, this.#one(visible)) : this.#literal();
      case 2:
        return this.#arg();
      case 3:
        return `(${this.#reached(visible)})`;
      case 4:
        return `(${this.#await()}${this.#call(visible, depth - 1)})`;
      case 5:
        return `((${this.#value(visible, depth - 1)}) ${this.#one(['===', '!==', '&&', '||', '??'])} (${this.#value(visible, depth - 1)}))`;
      case 6:
        return `(${this.#value(visible, depth - 1)} ? ${this.#value(visible, depth - 1)} : ${this.#value(visible, depth - 1)})`;
      case 7:
        return this.#text(visible);
      case 8:
        return `[${this.#value(visible, depth - 1)}, ...[${this.#value(visible, depth - 1)}]]`;
      case 9:
        return `({ ${key(this.#one(PROPS))}: ${this.#value(visible, depth - 1)}, [${str(this.#one(PROPS))}]: ${this.#value(visible, depth - 1)} })`;
      case 10: {
        const inner = [...visible];
        const a = this.#inner(inner);
        const item = this.#inSync(() => this.#value(inner, depth - 1));
        return `[1, 2].map((${a}${this.#type('number')})${TIGHT}=>${TIGHT}[${item}, ${a}])`;
      }
      case 11: {
        const inner = [...visible];
        const [f, a] = [this.#named(), this.#inner(inner)];
        const result = this.#inSync(() => this.#value(inner, 0));
        return `(function${TIGHT}${f}(${a})${this.#type('any')} { return${TIGHT}${a} > 2 ? ${result} : ${f}(${a} + 1) })(${this.#pick(3)})`;
      }
      case 12:
        return `(/a+/g.exec(${str('caab')})${TIGHT}as${TIGHT}any)?.[0]!`;
      case 13:
        return `typeof${TIGHT}${PAREN[0]}${this.#value(visible, depth - 1)}${PAREN[1]}`;
      default:
        return `${PAREN[0]}${this.#value(visible, depth - 1)}${PAREN[1]}`;
    }
  }

  #reached(visible: number[]): string {
    const base = visible.length > 0 ? mark(LOCAL, this.#one(visible)) : this.#arg();
    return this.#pick(2) === 0 ? `${base}?.${this.#one(PROPS)}` : `${base}?.[${str(this.#one(PROPS))}]`;
  }
}

function camel(name: string): string {
  return name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Prints a draft in a style. */
export function write({ text }: Draft, { name, chance }: Style): string {
  const gap = (): string => {
    const at = chance();
    return at < 0.5 ? ' ' : at < 0.7 ? '\n' : at < 0.8 ? ' /* c */ ' : at < 0.9 ? ' // d\n' : '\t\n  ';
  };
  return text
    .replace(pattern(KEY), (_, word: string) =>
      /\W/.test(word) || chance() < 0.3 ? quote(word, chance, false) : word,
    )
    .replace(pattern(MEMBER), (_, word: string) =>
      /\W/.test(word) || chance() < 0.3 ? `[${quote(word, chance)}]` : `.${word}`,
    )
    .replace(pattern(TYPE), (_, type: string) => (chance() < 0.5 ? type : ''))
    .replace(/\ue005|\ue006/g, (paren) => (paren === PAREN[0] ? '(' : ')'))
    .replace(/ (?=(?:[^\ue002\ue003]*\ue002[^\ue003]*\ue003)*[^\ue002\ue003]*$)/g, gap)
    .replace(pattern(STRING), (_, json: string) => quote(JSON.parse(json) as string, chance))
    .replace(pattern(LOCAL), (_, id: string) => name(Number(id)))
    .replaceAll(TIGHT, ' ')
    .replaceAll(END, () => (chance() < 0.3 ? '\n;' : '; '));
}

function pattern([open, close]: readonly [string, string]): RegExp {
  return new RegExp(`${open}([^${close}]*)${close}`, 'g');
}

function quote(text: string, chance: () => number, templates = true): string {
  const at = chance();
  const double = JSON.stringify(text);
  if (at < 0.4 || /[\\\u2028]/.test(double)) return double;
  if (at < 0.7 || !templates) return `'${text.replaceAll("'", "\\'")}'`;
  return `\`${text.replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;
}

export const drafts: fc.Arbitrary<Draft> = fc
  .array(fc.nat(1000), { minLength: 20, maxLength: 200, size: 'max' })
  .map((choices) => new DraftGenerator(choices).draft());

/** Pairs of drafts that differ in one choice. */
export const draftPairs: fc.Arbitrary<[Draft, Draft]> = fc
  .tuple(fc.array(fc.nat(1000), { minLength: 5, maxLength: 100, size: 'max' }), fc.nat(), fc.nat(1000))
  .map(([choices, at, value]) => [
    new DraftGenerator(choices).draft(),
    new DraftGenerator(choices.with(at % choices.length, value)).draft(),
  ]);

/** The plain style: every local has its own name, and nothing varies. */
export const PLAIN: Style = { name: (local) => `v${local}`, chance: () => 0.45 };

/** Makes a style from a seed. In half of the styles, a local that may shadow another has its name. */
export function styleOf(seed: number, { shadowed }: Draft): Style {
  let state = seed >>> 0;
  const chance = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const shadows = chance() < 0.5;
  const name = (local: number): string => {
    const hidden = shadowed[local];
    return shadows && hidden !== undefined
      ? name(hidden)
      : `${['x', 'path', 'limit', 'name', '$', '_'][(local + seed) % 6]}${local}`;
  };
  return { name, chance };
}
