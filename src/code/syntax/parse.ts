import { type OxcError, parseSync } from 'oxc-parser';
import { allChildren, type Comment, isTypeOnly, type Node, type Program, type Statement } from './ast.ts';
import { ParseError } from './positions.ts';
import { MAX_DEPTH, MAX_SOURCE, refusalOf } from './source-limits.ts';

/** Code as text, or read already: what takes it spares the second reading. */
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
 * Reads TypeScript or JavaScript: the body of an async function (`await` and `return` at the top), or one whole
 * expression. Throws a {@link ParseError} for everything that cannot run, and nothing else.
 */
export function parse(source: string): Program {
  if (source.length > MAX_SOURCE) {
    const reason = `Code is ${source.length} characters long; at most ${MAX_SOURCE} are accepted`;
    throw new ParseError(source, MAX_SOURCE, reason, 'Pass long text through `args`.');
  }
  const odd = Math.max(source.search(/\p{Surrogate}/u), source.indexOf('\0'));
  // The parser takes UTF-8, and so does the store: both would put another character in its place.
  if (odd !== -1)
    throw new ParseError(source, odd, 'Code holds a character that is no text', 'Write it as an escape.');
  // A line that only a file can start with; the gauge would take it for code.
  if (/^\ufeff?#!/.test(source)) throw new ParseError(source, 0, '`#!` is not available');
  const refusal = refusalOf(source);
  if (refusal) throw new ParseError(source, 0, refusal);
  const parsed = asBody(source);
  const [error] = parsed.errors;
  if (!error) return checked(source, isExpression(parsed.body) ? 'expression' : 'body', parsed);
  const expression = STARTS_LIKE_STATEMENT.test(source) ? asExpression(source) : undefined;
  if (expression) return checked(source, 'expression', expression);
  const offset = Math.min(Math.max(0, ...error.labels.map(({ start }) => start)), source.length);
  throw new ParseError(source, offset, error.message, error.helpMessage ?? undefined);
}

/** An expression that a statement parser takes for a block or a declaration. */
const STARTS_LIKE_STATEMENT = /^\s*(?:\{|(?:async\s+)?function\b|class\b)/;

function asBody(source: string): Parsed {
  const parsed = run(source);
  // The module goal gives strict code and `await`; what it refuses and a function body allows is `return`.
  const returns = new Set(topLevelReturns(parsed.body));
  return { ...parsed, errors: parsed.errors.filter(({ labels }) => !returns.has(labels[0]?.start ?? -1)) };
}

/** Reads `source` in parentheses; undefined when it is not one expression. */
function asExpression(source: string): Parsed | undefined {
  const semicolon = /;\s*$/.exec(source);
  const text = `(${semicolon ? `${source.slice(0, semicolon.index)} ` : source}\n)`;
  const [outer] = run(text, true).body;
  // `{}) + ({}` would close our parenthesis.
  const isWhole = outer?.type === 'ExpressionStatement' && outer.expression.end === text.length;
  if (!isWhole || outer.expression.type !== 'ParenthesizedExpression') return undefined;
  const parsed = run(text);
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

function run(source: string, preserveParens = false): Parsed {
  const options = { lang: 'ts', sourceType: 'module', preserveParens, showSemanticErrors: true } as const;
  const result = parseSync('code.ts', source, options);
  try {
    const errors = result.errors.filter(({ severity }) => severity === 'Error');
    return { body: result.program.body, comments: result.comments, errors };
  } catch (thrown) {
    // The tree is handed over as JSON, which V8 reads recursively.
    if (thrown instanceof RangeError) throw new ParseError(source, 0, 'Code is nested too deeply');
    throw thrown;
  }
}

function isExpression(body: readonly Statement[]): boolean {
  return body.length === 1 && body[0]?.type === 'ExpressionStatement';
}

/** Where a `return` stands outside of every function. */
function* topLevelReturns(body: readonly Node[]): Generator<number> {
  const pending = [...body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'ReturnStatement') yield node.start;
    // Expressions hold no statements outside of functions and class bodies.
    else if (/Statement$|^SwitchCase$|^CatchClause$/.test(node.type)) pending.push(...allChildren(node));
  }
}

function checked(source: string, kind: Program['kind'], { body, comments }: Parsed): Program {
  let level: Node[] = [...body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new ParseError(source, level[0]?.start ?? 0, 'Code is nested too deeply');
    for (const node of level) refuse(source, node);
    level = level.flatMap(allChildren);
  }
  return { source, kind, body, comments };
}

/** What has no meaning in the sandbox, or cannot be turned into JavaScript by leaving types out. */
const REFUSED: Partial<Record<Node['type'], [reason: string, hint: string]>> = {
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

function refuse(source: string, node: Node): void {
  if (node.type === 'Literal' && 'regex' in node && node.value === null) {
    throw new ParseError(source, node.start, 'Invalid regular expression');
  }
  const isImportMeta = node.type === 'MetaProperty' && node.meta.name === 'import';
  if (isImportMeta) throw new ParseError(source, node.start, '`import.meta` is not available');
  // `a<!--b` is a comparison in a module and a comment in a script.
  const isHtmlComment = node.type === 'BinaryExpression' && source.startsWith('<!--', node.right.start - 1);
  if (isHtmlComment) throw new ParseError(source, node.right.start - 1, '`<!--` is not available');
  const refused = REFUSED[node.type];
  if (!refused) return;
  if (isErasable(node)) return;
  throw new ParseError(source, node.start, ...refused);
}

function isErasable(node: Node): boolean {
  return node.type === 'TSModuleDeclaration' ? node.declare : isTypeOnly(node);
}
