import { createHash } from 'node:crypto';
import { type ReferenceNode, referenceNodesOf } from '../references/find-references.ts';
import { isTypeOnly, isWrapper, type Node, type Program, staticKey, stringValue } from '../syntax/ast.ts';
import { type Code, programOf } from '../syntax/parse.ts';
import type { Binding, Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { isThunk } from '../syntax/strip-types.ts';

export interface NormalFormOptions {
  /** One name for all spellings of a reference; by default a spelling is its own name. */
  readonly nameOf?: (spelling: string) => string | undefined;
}

/**
 * Prints what a program does, without how it is written: formatting, comments, quotes, types, optional semicolons and
 * parentheses are gone, local names are numbered in the order of the text. Two programs of one normal form do the same,
 * unless they read the names or the text of their own functions.
 */
export function normalForm(code: Code, options: NormalFormOptions = {}): string {
  return new Printer(programOf(code), options).print();
}

/** Returns the identity of code: sha256 of its normal form, in hex. */
export function hashOf(code: Code, options: NormalFormOptions = {}): string {
  return createHash('sha256').update(normalForm(code, options)).digest('hex');
}

/** Fields of a node that change nothing when it runs. All others are printed, so that no new field is missed. */
const SILENT = new Set([
  ...['type', 'start', 'end', 'range', 'parent', 'raw', 'decorators', 'shorthand'],
  ...['typeAnnotation', 'typeParameters', 'typeArguments', 'superTypeArguments', 'returnType', 'implements'],
  ...['declare', 'abstract', 'accessibility', 'readonly', 'override', 'definite'],
]);

/** No identifier and no literal is printed like this. */
const NOTHING = '-';

class Printer {
  readonly program: Program;
  readonly scopes: Scopes;
  readonly references: ReadonlyMap<Node, ReferenceNode>;
  readonly nameOf: (spelling: string) => string | undefined;
  readonly numbers = new Map<Binding, number>();
  readonly labels: string[] = [];
  /** Direct `eval` can see local names, so they count. */
  readonly keepsNames: boolean;

  constructor(program: Program, { nameOf = () => undefined }: NormalFormOptions) {
    this.program = program;
    this.scopes = scopesOf(program);
    this.references = new Map(referenceNodesOf(program).map((reference) => [reference.node, reference]));
    this.nameOf = nameOf;
    this.keepsNames = this.scopes.globals.has('eval');
  }

  print(): string {
    const [statement] = this.program.body;
    if (this.program.kind === 'body' || statement?.type !== 'ExpressionStatement')
      return this.list(this.program.body);
    // A whole expression is its own result, as if it were returned.
    const value = this.node(statement.expression);
    const result = isThunk(statement.expression)
      ? `(CallExpression callee=${value} arguments=[] optional=false)`
      : value;
    return `[(ReturnStatement argument=${result})]`;
  }

  node(typed: Node): string {
    const node = untyped(typed);
    const text = stringValue(node);
    if (text !== undefined) return JSON.stringify(text);
    const reference = this.references.get(node);
    if (reference) return this.reference(reference);
    switch (node.type) {
      case 'Identifier':
        return this.identifier(node);
      case 'Literal':
        return this.literal(node);
      case 'TemplateElement':
        // Only a tag can see how a template was written.
        return JSON.stringify(node.value.cooked ?? node.value);
      case 'TaggedTemplateExpression':
        return `(Tagged ${this.node(node.tag)} ${this.fields(node.quasi)} ${JSON.stringify(node.quasi.quasis.map(({ value }) => value.raw))})`;
      case 'MemberExpression': {
        const key = node.property.type === 'PrivateIdentifier' ? undefined : staticKey(node);
        if (key === undefined) return this.plain(node);
        return `(Member ${this.node(node.object)} ${JSON.stringify(key)}${node.optional ? ' ?' : ''})`;
      }
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        return this.keyed(node);
      case 'LogicalExpression':
        return `(${node.operator} ${this.operands(node, node.operator).join(' ')})`;
      case 'LabeledStatement':
        return this.labeled(node.label.name, () => `(Labeled ${this.node(node.body)})`);
      case 'BreakStatement':
      case 'ContinueStatement':
        return `(${node.type} ${node.label ? this.labels.length - this.labels.lastIndexOf(node.label.name) : ''})`;
      default:
        return this.plain(node);
    }
  }

  /** One spelling for `mcp.fs.read`, `mcp["fs"].read` and `mcp["fs:read"]`, which are one call. */
  reference({ name, path, node }: ReferenceNode): string {
    const isDirect = name !== undefined && path.aliases.length === 0 && !isOptional(node);
    if (isDirect) return `(Mcp ${JSON.stringify(this.nameOf(name) ?? name)})`;
    return node.type === 'Identifier' ? this.identifier(node) : this.member(node);
  }

  member(node: Node): string {
    if (node.type !== 'MemberExpression') return this.node(node);
    const key = staticKey(node);
    const property = key === undefined ? this.node(node.property) : JSON.stringify(key);
    return `(Member ${this.node(node.object)} ${property}${node.optional ? ' ?' : ''})`;
  }

  identifier(node: Extract<Node, { type: 'Identifier' }>): string {
    const binding = this.scopes.bindingOf.get(node);
    if (!binding || this.keepsNames) return node.name;
    const number = this.numbers.get(binding) ?? this.numbers.size;
    this.numbers.set(binding, number);
    return `%${number}`;
  }

  literal(node: Extract<Node, { type: 'Literal' }>): string {
    if ('regex' in node) return `(RegExp ${JSON.stringify(node.regex.pattern)} ${node.regex.flags})`;
    if ('bigint' in node) return `${node.bigint}n`;
    return typeof node.value === 'number' ? String(node.value) : JSON.stringify(node.value);
  }

  /** Prints the key however it is quoted: the key matters, its quotes and shorthand form do not. */
  keyed(
    node: Extract<
      Node,
      { type: 'Property' | 'MethodDefinition' | 'PropertyDefinition' | `TSAbstract${string}` }
    >,
  ): string {
    const { key, value, ...rest } = node;
    const name = key.type === 'PrivateIdentifier' ? `#${key.name}` : staticKeyOf(node);
    // `{ __proto__: x }` sets the prototype; `{ __proto__ }` and `{ ['__proto__']: x }` make a property.
    const isOwn = name === '__proto__' && (node.computed || ('shorthand' in node && node.shorthand));
    const printed =
      name === undefined ? `[${this.node(key)}]` : `${isOwn ? 'own ' : ''}${JSON.stringify(name)}`;
    const flags = this.fieldsOf({ ...rest, computed: false } as unknown as Record<string, unknown>);
    return `(${node.type} ${printed} ${value ? this.node(value) : NOTHING} ${flags})`;
  }

  /** `a || (b || c)` is `(a || b) || c`. */
  operands(node: Node, operator: string): string[] {
    const isSame = node.type === 'LogicalExpression' && node.operator === operator;
    return isSame
      ? [node.left, node.right].flatMap((side) => this.operands(untyped(side), operator))
      : [this.node(node)];
  }

  labeled(name: string, print: () => string): string {
    this.labels.push(name);
    const printed = print();
    this.labels.pop();
    return printed;
  }

  plain(node: Node): string {
    return `(${node.type} ${this.fields(node)})`;
  }

  fields(node: Node): string {
    return this.fieldsOf(node as unknown as Record<string, unknown>);
  }

  fieldsOf(node: Record<string, unknown>): string {
    const printed: string[] = [];
    for (const [key, value] of Object.entries(node)) {
      // `x?: T` is a type; `x?.y` is not.
      const isTypeMark =
        key === 'optional' && node.type !== 'MemberExpression' && node.type !== 'CallExpression';
      if (!SILENT.has(key) && !isTypeMark) printed.push(`${key}=${this.value(value)}`);
    }
    return printed.join(' ');
  }

  value(value: unknown): string {
    if (Array.isArray(value)) return this.list(value);
    if (value !== null && typeof value === 'object' && 'type' in value) return this.node(value as Node);
    return JSON.stringify(value) ?? NOTHING;
  }

  list(nodes: readonly (Node | null)[]): string {
    const shown = nodes.filter((node) => !(node && (isTypeOnly(node) || isEmpty(node))));
    return `[${shown.map((node) => (node ? this.node(node) : NOTHING)).join(' ')}]`;
  }
}

/** Returns the expression under type assertions. The end of an optional chain counts: `(a?.b).c` is not `a?.b.c`. */
function untyped(node: Node): Node {
  return isWrapper(node) && node.type !== 'ChainExpression' ? untyped(node.expression) : node;
}

function isEmpty(node: Node): boolean {
  return node.type === 'EmptyStatement' || (node.type === 'Identifier' && node.name === 'this');
}

function isOptional(node: Node): boolean {
  const inner = isWrapper(node) ? node.expression : node;
  return inner.type === 'MemberExpression' && (inner.optional || isOptional(inner.object));
}

function staticKeyOf(node: { key: Node; computed: boolean }): string | undefined {
  return staticKey({ type: 'Property', key: node.key, computed: node.computed } as Parameters<
    typeof staticKey
  >[0]);
}
