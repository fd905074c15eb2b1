import { allChildren, type Node, type Program, staticKey } from '../syntax/ast.ts';
import { secretFlag } from './secret-flag.ts';

/** Where a node stands, and under which name. */
export interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
  readonly key: string | undefined;
  /** It is a part of the text that stands under the key. */
  readonly isPart: boolean;
}

/** Every node with its parent and key, types included, in the order of the source. */
export function placesOf(program: Program): Place[] {
  const found: Place[] = program.body.map((node) => ({
    node,
    parent: undefined,
    key: undefined,
    isPart: false,
  }));
  for (let at = 0; at < found.length; at += 1) {
    const { node: parent, key: above } = found[at] as Place;
    let before: Node | undefined;
    for (const node of allChildren(parent)) {
      const own = parent.type === 'ArrayExpression' ? secretFlag(before) : keyOf(node, parent);
      before = node;
      const isPart = own === undefined && above !== undefined && passesOn(parent);
      found.push({ node, parent, key: isPart ? above : own, isPart });
    }
  }
  return found.sort((a, b) => a.node.start - b.node.start);
}

/** The name a literal is given where it stands: of a property, a variable, a default, an assignment. */
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

/** Whether the parts of a node end up in the text that it makes. */
function passesOn(node: Node): boolean {
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

/** False for a key, a directive, a type, and whatever else is a literal by grammar. */
export function isExpression(node: Node, parent: Node | undefined): boolean {
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
