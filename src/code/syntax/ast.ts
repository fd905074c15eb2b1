import { type Comment, type Expression, type Node, type Statement, visitorKeys } from 'oxc-parser';

export type { Comment, Expression, Node, Statement };
export type Identifier = Extract<Node, { type: 'Identifier' }>;
export type MemberNode = Extract<Node, { type: 'MemberExpression' }>;
export type CallNode = Extract<Node, { type: 'CallExpression' }>;
export type PropertyNode = Extract<Node, { type: 'Property' }>;

/** A parsed program: the body of an async function, or one expression that is its own result. */
export interface Program {
  readonly source: string;
  readonly kind: 'body' | 'expression';
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
}

/** Children that exist for the type checker alone. */
const TYPE_KEYS = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'returnType',
  'implements',
]);

const UNTYPED_KEYS = new Map(
  Object.entries(visitorKeys).map(([type, keys]) => [type, keys.filter((key) => !TYPE_KEYS.has(key))]),
);

const TYPE_STATEMENTS = new Set([
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSDeclareFunction',
  'TSModuleDeclaration',
  'TSEmptyBodyFunctionExpression',
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
  'TSAbstractAccessorProperty',
  'TSIndexSignature',
]);

/** True for a node that leaves no trace when the code runs. */
export function isTypeOnly(node: Node): boolean {
  if (TYPE_STATEMENTS.has(node.type)) return true;
  if (node.type === 'MethodDefinition') return node.value.type === 'TSEmptyBodyFunctionExpression';
  if (node.type === 'ImportDeclaration') return node.importKind === 'type';
  return 'declare' in node && node.declare === true;
}

/** Lists the children of a node in source order, types included. */
export function allChildren(node: Node): Node[] {
  return childrenOf(node, visitorKeys[node.type] ?? []);
}

/** Lists the children of a node in source order, without annotations and type arguments. */
export function untypedChildren(node: Node): Node[] {
  return childrenOf(node, UNTYPED_KEYS.get(node.type) ?? []);
}

/** Lists the children of a node that take part in running it, in source order. */
export function valueChildren(node: Node): Node[] {
  return untypedChildren(node).filter((child) => !isTypeOnly(child));
}

function childrenOf(node: Node, keys: readonly string[]): Node[] {
  const found: Node[] = [];
  for (const key of keys) {
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) found.push(...child.filter((each): each is Node => each !== null));
    else if (child) found.push(child as Node);
  }
  return found;
}

/** Returns the expression under type assertions and chain markers, which do nothing when the code runs. */
export function unwrap(node: Node): Node {
  let inner = node;
  while (isWrapper(inner)) inner = inner.expression;
  return inner;
}

type Wrapper = Extract<
  Node,
  {
    type:
      | 'TSAsExpression'
      | 'TSSatisfiesExpression'
      | 'TSNonNullExpression'
      | 'TSInstantiationExpression'
      | 'ChainExpression';
  }
>;

export function isWrapper(node: Node): node is Wrapper {
  return (
    node.type === 'TSAsExpression' ||
    node.type === 'TSSatisfiesExpression' ||
    node.type === 'TSNonNullExpression' ||
    node.type === 'TSInstantiationExpression' ||
    node.type === 'ChainExpression'
  );
}

/** Returns the text of a string literal or of a template without substitutions. */
export function stringValue(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** Returns the key of a property or member access, if the source alone tells it. */
export function staticKey(node: MemberNode | PropertyNode): string | undefined {
  const key: Node = node.type === 'MemberExpression' ? node.property : node.key;
  if (!node.computed && key.type === 'Identifier') return key.name;
  if (key.type === 'Literal' && typeof key.value === 'number') return String(key.value);
  return stringValue(key);
}
