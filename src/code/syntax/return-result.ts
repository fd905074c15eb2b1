import MagicString from 'magic-string';
import { type CallNode, isTypeOnly, type Node, type Statement, unwrap, valueChildren } from './ast.ts';
import { returnsAtTop, statementsOf } from './parse.ts';

type FunctionNode = Extract<Node, { params: unknown; body: unknown; async: unknown }>;
type ExportNode = Extract<Node, { type: 'ExportDefaultDeclaration' | 'ExportNamedDeclaration' }>;

/** Globals of a program, which need no parameter. */
const GLOBALS = new Set(['mcp', 'args', 'pml', 'console']);
/** Names of functions that a program declares for whoever runs it to call. */
const ENTRY_NAMES = new Set(['main', 'run', 'execute', 'handler']);

/**
 * Rewrites the other ways in which programs hand back their result as `return`: the value of the last expression, a default
 * export, a function that is to be called. Lines stay where they are. Code that cannot be parsed stays as it is.
 */
export function returnResult(source: string): MagicString {
  const text = new MagicString(source);
  const statements = statementsOf(source)?.filter((one) => one.type !== 'EmptyStatement' && !isTypeOnly(one));
  if (!statements || !eraseExports(text, statements)) return new MagicString(source);
  if (!returnsAtTop(statements)) returnLast(text, statements);
  return text;
}

function returnLast(text: MagicString, statements: readonly Statement[]): void {
  const exported = statements.find((one) => one.type === 'ExportDefaultDeclaration');
  if (exported || !callEntry(text, statements)) {
    // Function declarations after the result are hoisted.
    const last = statements.findLast((one) => declarationOf(one).type !== 'FunctionDeclaration');
    const result = exported ?? last;
    if (result) returnStatement(text, result, statements);
  }
}

/** Erases `export` before declarations. False if a statement exports something else. */
function eraseExports(text: MagicString, statements: readonly Statement[]): boolean {
  const exports = statements.filter((one): one is Statement & ExportNode =>
    /^Export|^TSExport/.test(one.type),
  );
  const defaults = exports.filter(({ type }) => type === 'ExportDefaultDeclaration');
  if (defaults.length > 1 || !defaults.every((one) => isLast(one, statements))) return false;
  if (defaults.some(({ declaration }) => !declaration || isClassOrType(declaration))) return false;
  for (const one of exports) {
    if (one.type === 'ExportDefaultDeclaration') continue;
    if (one.type !== 'ExportNamedDeclaration' || !one.declaration) return false;
    blank(text, one.start, one.declaration.start);
  }
  return true;
}

/** True if nothing runs after the statement: declarations of functions are hoisted. */
function isLast(statement: Statement, statements: readonly Statement[]): boolean {
  return statements
    .slice(statements.indexOf(statement) + 1)
    .every((one) => declarationOf(one).type === 'FunctionDeclaration');
}

function isClassOrType(declaration: Node): boolean {
  return declaration.type === 'ClassDeclaration' || isTypeOnly(declaration);
}

function returnStatement(text: MagicString, result: Statement, statements: readonly Statement[]): void {
  if (result.type === 'ExportDefaultDeclaration') {
    returnValue(text, result.declaration, result);
  } else if (result.type === 'ExpressionStatement') {
    const value = unwrap(result.expression);
    // One whole expression is its own result.
    const isResult = statements.length > 1 ? isWorthReturning(value, result) : takesParameters(value);
    if (isResult) returnValue(text, result.expression, result);
  }
}

/** Writes `return value`, and calls the value if it is a function. */
function returnValue(text: MagicString, value: Node, { type, start, end }: Statement): void {
  const source = text.original;
  const inner = unwrap(value);
  const isFunction = isFunctionNode(inner);
  const isExport = type === 'ExportDefaultDeclaration';
  const keyword = isExport ? source.indexOf('default', start) + 'default'.length : start;
  if (isExport) text.overwrite(start, keyword, 'return ('.padEnd(keyword - start));
  else text.appendLeft(start, isFunction ? 'return (' : 'return ');
  if (!isExport && !isFunction) return;
  // The value may be in parentheses, which end before the semicolon.
  const close = isFunction ? `)(${argumentFor(text, inner)})` : ')';
  text.appendLeft(source[end - 1] === ';' ? end - 1 : end, close);
}

/**
 * Calls `main` or an exported function, if the last statement declares it and no earlier one names it: the program may
 * have called it there, and it must not run twice. Returns false if there is nothing to call.
 */
function callEntry(text: MagicString, statements: readonly Statement[]): boolean {
  const last = statements.at(-1);
  const found = last && entryOf(declarationOf(last));
  if (!found || !(last.type === 'ExportNamedDeclaration' || ENTRY_NAMES.has(found.name))) return false;
  if (isNamedIn(statements.slice(0, -1), found.name)) return false;
  const call = `return ${found.name}(${argumentFor(text, found.function)});`;
  text.appendLeft(last.end, `; ${call}`);
  return true;
}

function isNamedIn(statements: readonly Node[], name: string): boolean {
  const open = [...statements];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'Identifier' && node.name === name) return true;
    if (node.type === 'MemberExpression' && !node.computed) open.push(node.object);
    else if (node.type === 'Property' && !node.computed) open.push(node.value);
    else open.push(...valueChildren(node));
  }
  return false;
}

function entryOf(declaration: Node): { name: string; function: FunctionNode } | undefined {
  if (declaration.type === 'FunctionDeclaration' && declaration.id && isFunctionNode(declaration))
    return { name: declaration.id.name, function: declaration };
  if (declaration.type !== 'VariableDeclaration' || declaration.declarations.length !== 1) return undefined;
  const { id, init } = declaration.declarations[0] ?? {};
  const value = init && unwrap(init);
  if (id?.type !== 'Identifier' || !value || !isFunctionNode(value)) return undefined;
  return { name: id.name, function: value };
}

function declarationOf(statement: Statement): Node {
  return statement.type === 'ExportNamedDeclaration' && statement.declaration
    ? statement.declaration
    : statement;
}

/** Returns the argument to call a function with: `args`. Parameters that only name globals are erased instead. */
function argumentFor(text: MagicString, { params }: FunctionNode): string {
  const [first] = params as readonly Node[];
  const last = params.at(-1);
  if (!first || !last) return '';
  if (!(params as readonly Node[]).every(namesGlobals)) return 'args';
  blank(text, first.start, last.end);
  return '';
}

function namesGlobals(parameter: Node): boolean {
  if (parameter.type === 'Identifier') return GLOBALS.has(parameter.name);
  if (parameter.type !== 'ObjectPattern') return false;
  return parameter.properties.every(
    (one) => one.type === 'Property' && one.shorthand && namesGlobals(one.value),
  );
}

function takesParameters(value: Node): boolean {
  return isFunctionNode(value) && value.params.length > 0;
}

function isFunctionNode(node: Node): node is FunctionNode {
  return (
    (node.type === 'ArrowFunctionExpression' ||
      node.type === 'FunctionExpression' ||
      node.type === 'FunctionDeclaration') &&
    !node.generator
  );
}

/** Methods that change their object and return what nobody asked for, and functions that return a handle. */
const FOR_EFFECT = new Set([
  ...['push', 'unshift', 'splice', 'forEach', 'set', 'add', 'delete', 'clear', 'fill', 'append'],
  ...['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'queueMicrotask'],
]);

/** False for an expression that stands there for its effect. */
function isWorthReturning(value: Node, statement: Statement): boolean {
  if ('directive' in statement && statement.directive) return false;
  if (value.type === 'AssignmentExpression' || value.type === 'UpdateExpression') return false;
  if (value.type === 'UnaryExpression') return value.operator !== 'delete' && value.operator !== 'void';
  return value.type !== 'CallExpression' || !isForEffect(value);
}

function isForEffect({ callee }: CallNode): boolean {
  const called = unwrap(callee);
  if (called.type === 'Identifier') return FOR_EFFECT.has(called.name);
  if (called.type !== 'MemberExpression' || called.property.type !== 'Identifier') return false;
  const isConsole = called.object.type === 'Identifier' && called.object.name === 'console';
  return isConsole || (!called.computed && FOR_EFFECT.has(called.property.name) && !isToolCall(called));
}

/** A tool may have any name: `mcp.list.add({ … })`. */
function isToolCall(called: Node): boolean {
  let root: Node = called;
  while (root.type === 'MemberExpression') root = unwrap(root.object);
  return root.type === 'Identifier' && root.name === 'mcp';
}

function blank(text: MagicString, start: number, end: number): void {
  if (start === end) return;
  text.overwrite(start, end, text.original.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, ' '));
}
