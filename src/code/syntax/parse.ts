import { type OxcError, parseSync } from 'oxc-parser';
import { allChildren, type Comment, isTypeOnly, type Node, type Program, type Statement } from './ast.ts';
import { ParseError } from './parse-error.ts';
import { limitViolation, MAX_SOURCE, MAX_TREE_DEPTH } from './source-limits.ts';

/** Code as text or already parsed, so that it is parsed once. */
export type Code = string | Program;

export function programOf(code: Code): Program {
  return typeof code === 'string' ? parse(code) : code;
}

interface Parsed {
  readonly body: Statement[];
  readonly comments: Comment[];
  readonly errors: OxcError[];
}

/**
 * Parses TypeScript or JavaScript: the body of an async function (`await` and `return` at the top), or one whole
 * expression. Throws a {@link ParseError} for code that cannot run, and nothing else.
 */
export function parse(source: string): Program {
  assertParsable(source);
  const parsed = asBody(source);
  const [error] = parsed.errors;
  if (!error) return checkedProgram(source, isExpression(parsed.body) ? 'expression' : 'body', parsed);
  const expression = STARTS_LIKE_STATEMENT.test(source) ? asExpression(source) : undefined;
  if (expression) return checkedProgram(source, 'expression', expression);
  const offset = Math.min(Math.max(0, ...error.labels.map(({ start }) => start)), source.length);
  throw new ParseError(source, offset, error.message, error.helpMessage ?? undefined);
}

/** Tells whether the parser accepts a text, without building its tree. Unsupported syntax is not looked for. */
export function isWellFormed(source: string): boolean {
  try {
    assertParsable(source);
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
  const { errors } = parseSync('code.ts', source, { lang: 'ts', sourceType: 'module' });
  return errors.every(({ message }) => RETURN_OUTSIDE.test(message));
}

/** Lists the statements of code, exports too; undefined if it cannot be parsed as statements. */
export function statementsOf(source: string): Statement[] | undefined {
  return tryBody(source)?.body;
}

/** Lists the comments of code; none if it cannot be parsed. */
export function commentsOf(source: string): readonly Comment[] {
  return tryBody(source)?.comments ?? [];
}

function tryBody(source: string): Parsed | undefined {
  try {
    assertParsable(source);
    const parsed = asBody(source);
    return parsed.errors.length > 0 ? undefined : parsed;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Throws if the text must not reach the native parser. */
function assertParsable(source: string): void {
  if (source.length > MAX_SOURCE) {
    const reason = `Code is ${source.length} characters long; at most ${MAX_SOURCE} are accepted`;
    throw new ParseError(source, MAX_SOURCE, reason, 'Pass long text through `args`.');
  }
  const badCharacter = Math.max(source.search(/\p{Surrogate}/u), source.indexOf('\0'));
  // The parser and the store take UTF-8: both would replace the character by another.
  if (badCharacter !== -1) {
    const reason = 'Code contains a NUL character or half a surrogate pair, which is not text';
    throw new ParseError(source, badCharacter, reason, 'Write it as an escape.');
  }
  // A shebang belongs to files; the scanner would take it for code.
  if (/^\ufeff?#!/.test(source)) throw new ParseError(source, 0, '`#!` is not available');
  const violation = limitViolation(source);
  if (violation) throw new ParseError(source, 0, violation);
}

/** Matches an expression that a statement parser takes for a block or a declaration. */
const STARTS_LIKE_STATEMENT = /^\s*(?:\{|(?:async\s+)?function\b|class\b)/;

const RETURN_OUTSIDE = /^A 'return' statement can only be used/;

/** The last parse, since code is parsed several times before it runs. */
let last: { source: string; parsed: WeakRef<Parsed> } | undefined;

function asBody(source: string): Parsed {
  const known = last?.source === source ? last.parsed.deref() : undefined;
  if (known) return known;
  const { body, comments, errors } = runParser(source);
  // Parsed as a module, code is strict and may `await`. Only `return`, which a function body allows, is reported.
  const returns = new Set(topLevelReturns(body));
  const real = errors.filter(({ labels }) => !returns.has(labels[0]?.start ?? -1));
  // Without a tree, every `return` is reported too, before the real error.
  real.sort((a, b) => Number(RETURN_OUTSIDE.test(a.message)) - Number(RETURN_OUTSIDE.test(b.message)));
  const parsed = { body, comments, errors: real };
  last = { source, parsed: new WeakRef(parsed) };
  return parsed;
}

/** Parses `source` in parentheses; undefined if it is not one expression. */
function asExpression(source: string): Parsed | undefined {
  const semicolon = /;\s*$/.exec(source);
  const text = `(${semicolon ? `${source.slice(0, semicolon.index)} ` : source}\n)`;
  const [outer] = runParser(text, true).body;
  // `{}) + ({}` would close our parenthesis.
  const isWhole = outer?.type === 'ExpressionStatement' && outer.expression.end === text.length;
  if (!isWhole || outer.expression.type !== 'ParenthesizedExpression') return undefined;
  const parsed = runParser(text);
  const [statement] = parsed.body;
  if (parsed.errors.length > 0 || statement?.type !== 'ExpressionStatement') return undefined;
  const pending: Node[] = [statement.expression];
  for (let node = pending.pop(); node; node = pending.pop()) {
    node.start -= 1;
    node.end -= 1;
    pending.push(...allChildren(node));
  }
  statement.start = statement.expression.start;
  statement.end = semicolon ? semicolon.index + 1 : statement.expression.end;
  return { ...parsed, comments: parsed.comments.map((c) => ({ ...c, start: c.start - 1, end: c.end - 1 })) };
}

function runParser(source: string, preserveParens = false): Parsed {
  const options = { lang: 'ts', sourceType: 'module', preserveParens, showSemanticErrors: true } as const;
  const result = parseSync('code.ts', source, options);
  try {
    const errors = result.errors.filter(({ severity }) => severity === 'Error');
    return { body: result.program.body, comments: result.comments, errors };
  } catch (thrown) {
    // The native parser hands over its tree as JSON, which V8 reads recursively.
    if (thrown instanceof RangeError) throw new ParseError(source, 0, 'Code is nested too deeply');
    throw thrown;
  }
}

function isExpression(body: readonly Statement[]): boolean {
  return body.length === 1 && body[0]?.type === 'ExpressionStatement';
}

/** Finds the offset of every `return` outside of all functions. */
function* topLevelReturns(body: readonly Node[]): Generator<number> {
  const pending = [...body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'ReturnStatement') yield node.start;
    // Expressions hold no statements outside of functions and class bodies.
    else if (/Statement$|^SwitchCase$|^CatchClause$/.test(node.type)) pending.push(...allChildren(node));
  }
}

/** True if a statement outside of all functions returns. */
export function returnsAtTop(body: readonly Statement[]): boolean {
  return topLevelReturns(body).next().done === false;
}

function checkedProgram(source: string, kind: Program['kind'], { body, comments }: Parsed): Program {
  let level: Node[] = [...body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_TREE_DEPTH)
      throw new ParseError(source, level[0]?.start ?? 0, 'Code is nested too deeply');
    for (const node of level) assertSupported(source, node);
    level = level.flatMap(allChildren);
  }
  return { source, kind, body, comments };
}

/** Syntax that has no meaning in the sandbox, or that does not become JavaScript by erasing types. */
const UNSUPPORTED: Partial<Record<Node['type'], [reason: string, hint: string]>> = {
  ImportDeclaration: ['`import` is not available', 'Reach tools through `mcp`.'],
  ExportNamedDeclaration: ['`export` is not available', 'Hand the result back with `return`.'],
  ExportDefaultDeclaration: ['`export` is not available', 'Hand the result back with `return`.'],
  ExportAllDeclaration: ['`export` is not available', 'Hand the result back with `return`.'],
  TSExportAssignment: ['`export =` is not available', 'Hand the result back with `return`.'],
  TSNamespaceExportDeclaration: ['`export as` is not available', 'Hand the result back with `return`.'],
  TSImportEqualsDeclaration: ['`import =` is not available', 'Reach tools through `mcp`.'],
  TSEnumDeclaration: [
    '`enum` is not supported',
    'Use a constant object: `const Color = { Red: 0 } as const`.',
  ],
  TSModuleDeclaration: ['`namespace` is not supported', 'Use a constant object.'],
  TSParameterProperty: ['Parameter properties are not supported', 'Assign the field in the constructor.'],
  TSTypeAssertion: ['`<T>value` is not supported', 'Write `value as T`.'],
  Decorator: ['Decorators are not supported', 'Call the function yourself.'],
  AccessorProperty: ['`accessor` fields are not supported', 'Write a getter and a setter.'],
};

function assertSupported(source: string, node: Node): void {
  if (node.type === 'Literal' && 'regex' in node && node.value === null) {
    throw new ParseError(source, node.start, 'Invalid regular expression');
  }
  const isImportMeta = node.type === 'MetaProperty' && node.meta.name === 'import';
  if (isImportMeta) throw new ParseError(source, node.start, '`import.meta` is not available');
  // `a<!--b` is a comparison in a module and a comment in a script.
  const isHtmlComment = node.type === 'BinaryExpression' && source.startsWith('<!--', node.right.start - 1);
  if (isHtmlComment) throw new ParseError(source, node.right.start - 1, '`<!--` is not available');
  const unsupported = UNSUPPORTED[node.type];
  if (!unsupported || isErasable(node)) return;
  throw new ParseError(source, node.start, ...unsupported);
}

function isErasable(node: Node): boolean {
  return node.type === 'TSModuleDeclaration' ? node.declare : isTypeOnly(node);
}
