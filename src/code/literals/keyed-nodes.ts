import { allChildren, type Node, type Program, staticKey } from '../syntax/ast.ts';
import { secretFlag } from './secret-flag.ts';

/** A node with its parent and the key that it stands under. */
export interface KeyedNode {
  readonly node: Node;
  readonly parent: Node | undefined;
  readonly key: string | undefined;
  /** True if the node is only a part of the text under the key. */
  readonly isPart: boolean;
}

/** Lists every node with its parent and key, types included, in source order. */
export function keyedNodesOf(program: Program): KeyedNode[] {
  const found: KeyedNode[] = program.body.map((node) => ({
    node,
    parent: undefined,
    key: undefined,
    isPart: false,
  }));
  for (let at = 0; at < found.length; at += 1) {
    const { node: parent, key: above } = found[at] as KeyedNode;
    let before: Node | undefined;
    for (const node of allChildren(parent)) {
      const own = parent.type === 'ArrayExpression' ? secretFlag(before) : keyOf(node, parent);
      before = node;
      const isPart = own === undefined && above !== undefined && buildsText(parent);
      found.push({ node, parent, key: isPart ? above : own, isPart });
    }
  }
  return found.sort((a, b) => a.node.start - b.node.start);
}

/** Returns the name of the property, variable, default or assignment that gets the value of this node. */
function keyOf(node: Node, parent: Node | undefined): string | undefined {
  switch (parent?.type) {
    case 'Property':
      return parent.value === node ? staticKey(parent) : undefined;
    case 'PropertyDefinition':
      return parent.value === node && parent.key.type === 'Identifier' ? parent.key.name : undefined;
    case 'VariableDeclarator':
      return parent.id.type === 'Identifier' ? parent.id.name : undefined;
    case 'AssignmentPattern':
      return parent.left.type === 'Identifier' ? parent.left.name : undefined;
    case 'AssignmentExpression':
      if (parent.left.type === 'Identifier') return parent.left.name;
      return parent.left.type === 'MemberExpression' ? staticKey(parent.left) : undefined;
    default:
      return undefined;
  }
}

/** True if the parts of a node end up in the text that it builds. */
function buildsText(node: Node): boolean {
  switch (node.type) {
    case 'BinaryExpression':
      return node.operator === '+';
    case 'CallExpression':
      return (
        node.callee.type === 'Identifier' && /^(?:btoa|String|encodeURIComponent)$/.test(node.callee.name)
      );
    case 'ConditionalExpression':
    case 'LogicalExpression':
    case 'ParenthesizedExpression':
    case 'TemplateLiteral':
    case 'TSAsExpression':
      return true;
    default:
      return false;
  }
}

/** True where any expression may stand; false for keys, directives, types and others that the grammar wants as literals. */
export function isExpressionPosition(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case undefined:
    case 'TaggedTemplateExpression':
    case 'ImportExpression':
      return false;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.value === node || parent.computed;
    case 'ExpressionStatement':
      return !parent.directive;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return true;
    default:
      return !parent?.type.startsWith('TS') && !parent?.type.startsWith('Import');
  }
}
