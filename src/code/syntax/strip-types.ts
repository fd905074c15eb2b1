import { isTypeOnly, type Node, type Program, untypedChildren, unwrap } from './ast.ts';
import { type Code, programOf } from './parse.ts';
import type { Span } from './positions.ts';

/**
 * Erases types so that every remaining token keeps its line and column, and errors of the run point into the caller's
 * own text. Types become spaces; a `;` stands where leaving a type out would join two statements.
 */
export function stripTypes(code: Code): string {
  return strip(programOf(code));
}

/** The text of an async function body: `before + code + after`, where only `code` counts for positions. */
export interface FunctionBody {
  /** Holds no line break: shift the columns of the first line by its length. */
  readonly before: string;
  readonly code: string;
  readonly after: string;
}

/** Makes JavaScript to run: a whole expression is returned, and a function without parameters is called. */
export function toFunctionBody(source: Code): FunctionBody {
  const program = programOf(source);
  const code = strip(program);
  const [statement] = program.body;
  if (program.kind === 'body' || statement?.type !== 'ExpressionStatement')
    return { before: '', code, after: '\n' };
  const { expression, end } = statement;
  const hasSemicolon = end > expression.end && code[end - 1] === ';';
  const bare = hasSemicolon ? `${code.slice(0, end - 1)} ${code.slice(end)}` : code;
  return { before: 'return (', code: bare, after: isThunk(expression) ? '\n)()' : '\n)' };
}

export function isThunk(node: Node): boolean {
  const inner = unwrap(node);
  const isFunction = inner.type === 'ArrowFunctionExpression' || inner.type === 'FunctionExpression';
  return isFunction && !inner.generator && inner.params.length === 0;
}

function strip({ source, body }: Program): string {
  const eraser = new Eraser(source);
  const pending: Node[] = [...body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (isTypeOnly(node)) {
      eraser.blank(node, ';');
      continue;
    }
    eraser.erase(node);
    if (node.type === 'Literal' || node.type === 'TemplateElement') eraser.keep(node);
    pending.push(...untypedChildren(node));
  }
  return eraser.text();
}

const GAP = /(?:\s|\/\/[^\n\r\u2028\u2029]*(?:[\n\r\u2028\u2029]|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
const WORD = /[\p{ID_Continue}$\\{}#\u200c\u200d]+/uy;
/** The parser treats these characters as white space, V8 as errors. Pasted code may contain them. */
const STRANGE_GAP = /[\u0085\u200b]/g;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const MODIFIERS = new Set(['public', 'private', 'protected', 'readonly', 'override']);

class Eraser {
  readonly source: string;
  readonly chars: string[];
  readonly #texts: Span[] = [];

  constructor(source: string) {
    this.source = source;
    this.chars = source.split('');
  }

  text(): string {
    const isText = new Uint8Array(this.source.length);
    for (const { start, end } of this.#texts) isText.fill(1, start, end);
    for (const { index } of this.source.matchAll(STRANGE_GAP)) if (!isText[index]) this.chars[index] = ' ';
    return this.chars.join('');
  }

  /** Marks the text of a literal, in which strange gaps stay as they are. */
  keep(text: Span): void {
    this.#texts.push(text);
  }

  blank({ start, end }: Span, first = ' '): void {
    for (let at = start; at < end; at += 1) {
      if (!LINE_BREAK.test(this.chars[at] as string)) this.chars[at] = ' ';
    }
    this.chars[start] = first;
  }

  erase(node: Node): void {
    if ('typeParameters' in node && node.typeParameters) this.typeParameters(node, node.typeParameters);
    if ('returnType' in node && node.returnType) this.returnType(node, node.returnType);
    if ('typeArguments' in node && node.typeArguments) this.blank(node.typeArguments);
    switch (node.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        this.assertion(node, node.expression.end);
        break;
      case 'TSNonNullExpression':
        this.blank({ start: this.pastParens(node.expression.end), end: node.end });
        break;
      case 'ClassDeclaration':
      case 'ClassExpression':
        this.classHead(node);
        break;
      case 'MethodDefinition':
        this.modifiers(node, node.key);
        if (node.optional) this.mark('?', this.keyEnd(node));
        break;
      case 'PropertyDefinition':
        this.field(node);
        break;
      case 'VariableDeclarator':
        if (node.definite) this.mark('!', this.wordEnd(node.id.start));
        break;
      default:
        this.pattern(node);
    }
  }

  /** Parameters and names with a type of their own. */
  pattern(node: Node): void {
    if (node.type === 'Identifier' && (node.optional as boolean)) this.mark('?', this.wordEnd(node.start));
    if ('params' in node) this.thisParameter(node.params);
    if ('typeAnnotation' in node && node.typeAnnotation?.type === 'TSTypeAnnotation')
      this.blank(node.typeAnnotation);
  }

  /** Blanks the `as T` of `value as T`. */
  assertion(node: Span, valueEnd: number): void {
    const start = this.pastParens(valueEnd);
    const next = this.source[this.gapEnd(node.end)] ?? '';
    // `x as T` ends at the line; `x` alone would continue with a bracket or template on the next line.
    this.blank({ start, end: node.end }, '([`'.includes(next) && next !== '' ? ';' : ' ');
  }

  /** Blanks a return type. `)` and `=>` must be on one line, so the `)` moves to the end of a multi-line type. */
  returnType(node: Node, type: Span): void {
    const isBroken = node.type === 'ArrowFunctionExpression' && LINE_BREAK.test(this.slice(type));
    this.blank(type);
    if (!isBroken) return;
    this.chars[this.source.lastIndexOf(')', type.start)] = ' ';
    this.chars[type.end - 1] = ')';
  }

  /** Blanks type parameters. `async` or `return` and `(` must be on one line, so the `(` moves to their start. */
  typeParameters(node: Node, type: Span): void {
    const isBroken = node.type === 'ArrowFunctionExpression' && LINE_BREAK.test(this.slice(type));
    this.blank(type, isBroken ? '(' : ' ');
    if (isBroken) this.chars[this.gapEnd(type.end)] = ' ';
  }

  classHead(node: Extract<Node, { superClass: unknown }>): void {
    if (node.abstract) this.blank({ start: node.start, end: node.start + 'abstract'.length });
    if (node.superTypeArguments) this.blank(node.superTypeArguments);
    const last = node.implements?.at(-1);
    if (!last) return;
    const before = node.superTypeArguments ?? node.superClass ?? node.typeParameters ?? node.id;
    const start = before ? this.pastParens(before.end) : this.gapEnd(node.start + 'class'.length);
    this.blank({ start, end: last.end });
  }

  field(node: Extract<Node, { type: 'PropertyDefinition' | 'TSAbstractPropertyDefinition' }>): void {
    this.modifiers(node, node.key);
    // Without a `;`, a field `get: T` would make the method after it a getter.
    const first = node.value ? ' ' : ';';
    if (node.optional || node.definite) this.mark(node.optional ? '?' : '!', this.keyEnd(node), first);
    if (node.typeAnnotation) this.blank(node.typeAnnotation, first);
  }

  /** Blanks `public readonly` and the like; a `;` keeps `[key]` and `*name` apart from the member before. */
  modifiers(member: Span, key: Span): void {
    for (let at = member.start; at < key.start; ) {
      const end = this.wordEnd(at);
      const word = this.source.slice(at, end);
      if (MODIFIERS.has(word)) this.blank({ start: at, end }, at === member.start ? ';' : ' ');
      at = this.gapEnd(Math.max(end, at + 1));
    }
  }

  /** Blanks the `this: T,` of `function f(this: T, a)`. */
  thisParameter(params: readonly Node[]): void {
    const [first] = params;
    if (first?.type !== 'Identifier' || first.name !== 'this') return;
    const next = this.gapEnd(first.end);
    this.blank({ start: first.start, end: this.source[next] === ',' ? next + 1 : first.end });
  }

  /** Blanks the one mark that follows `from`. */
  mark(char: string, from: number, instead = ' '): void {
    const at = this.gapEnd(from);
    if (this.source[at] === char) this.chars[at] = instead;
  }

  keyEnd({ key, computed }: { key: Span; computed: boolean }): number {
    return computed ? this.gapEnd(this.source.indexOf(']', key.end) + 1) : key.end;
  }

  pastParens(from: number): number {
    let at = this.gapEnd(from);
    while (this.source[at] === ')') at = this.gapEnd(at + 1);
    return at;
  }

  gapEnd(from: number): number {
    GAP.lastIndex = from;
    return from + (GAP.exec(this.source)?.[0].length ?? 0);
  }

  wordEnd(from: number): number {
    WORD.lastIndex = from;
    return from + (WORD.exec(this.source)?.[0].length ?? 0);
  }

  slice({ start, end }: Span): string {
    return this.source.slice(start, end);
  }
}
