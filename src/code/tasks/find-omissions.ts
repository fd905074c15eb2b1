import { type ReferenceNode, referenceNodesOf } from '../references/find-references.ts';
import { isTypeOnly, isWrapper, type Node, type Program } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import type { Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

/** The likely mistakes in code that returned nothing. */
export interface Omissions {
  /** True if it does nothing at all. */
  readonly isEmpty: boolean;
  /** The last value of the code, which it does not return. */
  readonly unreturned?: string;
  /** A call whose result nobody waits for. */
  readonly unawaited?: string;
}

const MAX_SHOWN = 60;

/** Looks for a missing `return` and a missing `await`. */
export function findOmissions(source: string): Omissions {
  const program = parse(source);
  const statements = program.body.filter((one) => one.type !== 'EmptyStatement' && !isTypeOnly(one));
  const scopes = scopesOf(program);
  const call = referenceNodesOf(program).find((one) => isUnawaited(one, scopes));
  const value = program.kind === 'body' ? lastValue(statements.at(-1)) : undefined;
  return {
    isEmpty: statements.length === 0,
    ...(value && { unreturned: excerpt(program, value) }),
    ...(call && { unawaited: `${excerpt(program, call.node)}(…)` }),
  };
}

/** The value that a last statement leaves behind: `x;`, or the `x` of `const x = …`. */
function lastValue(statement: Node | undefined): Node | undefined {
  if (statement?.type === 'ExpressionStatement') {
    const { expression } = statement;
    return expression.type === 'AwaitExpression'
      ? expression.argument
      : (printedValue(expression) ?? expression);
  }
  if (statement?.type !== 'VariableDeclaration') return undefined;
  const id = statement.declarations.at(-1)?.id;
  return id?.type === 'Identifier' ? id : undefined;
}

/** The `x` of `console.log(x)`, which was meant to be seen. */
function printedValue(expression: Node): Node | undefined {
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'MemberExpression') return undefined;
  const { object } = expression.callee;
  const isConsole = object.type === 'Identifier' && object.name === 'console';
  return isConsole ? expression.arguments.at(-1) : undefined;
}

/** True for a call that stands alone, or whose promise is kept under a name that nothing waits for. */
function isUnawaited({ call }: ReferenceNode, { parentOf, bindingOf }: Scopes): boolean {
  if (!call) return false;
  let parent = parentOf.get(call);
  while (parent && isWrapper(parent)) parent = parentOf.get(parent);
  if (parent?.type === 'ExpressionStatement') return true;
  if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') return false;
  const declared: Node = parent.id;
  const uses = bindingOf.get(declared)?.identifiers.filter((one) => one !== declared) ?? [];
  return uses.every((use) => parentOf.get(use)?.type === 'MemberExpression');
}

function excerpt({ source }: Program, { start, end }: Node): string {
  const text = source.slice(start, end).replace(/\s+/g, ' ');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : text;
}
