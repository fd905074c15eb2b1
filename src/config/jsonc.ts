/** The parsed value, or where and why the text is not JSON. Lines and columns count from 1. */
export type ParsedJsonc = { value: unknown } | { problem: string; line: number; column: number };

/** Offsets of an object's parts in the text, for edits that keep everything else. */
export interface Layout {
  /** Just after the opening bracket. */
  open: number;
  /** Just after the last item, if there is one. */
  last: number | undefined;
  /** A comma follows the last item. */
  comma: boolean;
  /** At the closing bracket. */
  close: number;
  /** Where each key begins and its value ends. */
  spans: ReadonlyMap<string, { start: number; end: number }>;
}

// Deeper than any config; without a limit, brackets alone could overflow the stack.
const MAX_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n\uFEFF]+/y;
const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Parses JSON with comments and trailing commas, as MCP clients write it. JSON.parse would not do: its messages quote the
 * text, which may hold secrets, often without a position, and it silently drops the first of two equal keys, and with it
 * a server.
 */
export function parseJsonc(text: string, layouts?: Map<object, Layout>): ParsedJsonc {
  const parser = new Parser(text, layouts);
  try {
    parser.skip();
    if (parser.at === text.length) parser.fail('the file is empty; expected "{"');
    const value = parser.value(0);
    parser.skip();
    if (parser.at < text.length) parser.fail(`expected the end of the file, found ${parser.found()}`);
    return { value };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxProblem)) throw thrown;
    return { problem: thrown.message, ...positionOf(text, thrown.offset) };
  }
}

class SyntaxProblem extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

class Parser {
  at = 0;
  readonly text: string;
  readonly layouts: Map<object, Layout> | undefined;
  constructor(text: string, layouts: Map<object, Layout> | undefined) {
    this.text = text;
    this.layouts = layouts;
  }

  fail(message: string, offset = this.at): never {
    throw new SyntaxProblem(message, offset);
  }

  /** Describes the next token, quoting one character at most. */
  found(): string {
    const char = this.text[this.at];
    if (char === undefined) return 'the end of the file';
    return char === '"' ? 'a string' : `"${char}"`;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH} levels`);
    const char = this.text[this.at];
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char === '"') return this.string();
    const number = this.match(NUMBER);
    if (number !== undefined) return Number(number);
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.fail(`expected a value, found ${this.found()}`);
  }

  object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    const spans = new Map<string, { start: number; end: number }>();
    const layout = this.items('}', () => {
      const start = this.at;
      if (this.text[start] !== '"') this.fail(`expected a key in double quotes, found ${this.found()}`);
      const key = this.string();
      // Assigning this key would set the prototype instead of a property.
      if (key === '__proto__') this.fail('the key "__proto__" is not allowed', start);
      if (Object.hasOwn(object, key)) this.fail(`the key "${key}" is here twice`, start);
      this.skip();
      if (this.text[this.at] !== ':') this.fail(`expected ":" after the key "${key}", found ${this.found()}`);
      this.at += 1;
      this.skip();
      object[key] = this.value(depth + 1);
      spans.set(key, { start, end: this.at });
    });
    this.layouts?.set(object, { ...layout, spans });
    return object;
  }

  array(depth: number): unknown[] {
    const array: unknown[] = [];
    this.items(']', () => array.push(this.value(depth + 1)));
    return array;
  }

  /** Parses from an opening bracket past its closing one; `read` parses one item. */
  items(close: string, read: () => void): Omit<Layout, 'spans'> {
    this.at += 1;
    const layout: Omit<Layout, 'spans'> = { open: this.at, last: undefined, comma: false, close: 0 };
    this.skip();
    while (this.text[this.at] !== close) {
      read();
      layout.last = this.at;
      this.skip();
      layout.comma = this.text[this.at] === ',';
      if (this.text[this.at] === close) break;
      if (!layout.comma) this.fail(`expected "," or "${close}", found ${this.found()}`);
      this.at += 1;
      this.skip();
    }
    layout.close = this.at;
    this.at += 1;
    return layout;
  }

  string(): string {
    const start = this.at;
    let end = start + 1;
    while (this.text[end] !== '"') {
      const char = this.text[end];
      if (char === undefined || char === '\n' || char === '\r')
        this.fail('a string without its closing quote');
      end += char === '\\' ? 2 : 1;
    }
    this.at = end + 1;
    try {
      return JSON.parse(this.text.slice(start, this.at));
    } catch {
      return this.fail('a string with a bad escape or a control character', start);
    }
  }

  skip(): void {
    for (;;) {
      if (this.match(BLANK) !== undefined) continue;
      if (this.text.startsWith('//', this.at)) {
        const end = this.text.indexOf('\n', this.at);
        this.at = end < 0 ? this.text.length : end;
      } else if (this.text.startsWith('/*', this.at)) {
        const end = this.text.indexOf('*/', this.at + 2);
        if (end < 0) this.fail('a comment without its closing "*/"');
        this.at = end + 2;
      } else return;
    }
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}
