import { type Identifier, type Node, type Program, staticKey, unwrap, valueChildren } from '../syntax/ast.ts';
import type { Binding, Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

/** Stands for any item of a list in a path of keys. */
export const ITEM = Symbol('item');

export type FunctionNode = Extract<Node, { params: unknown; body: unknown; async: unknown }>;
type CallLike = Extract<Node, { type: 'CallExpression' | 'NewExpression' }>;

/** An expression whose value, or a part of it, a local name gets. */
export interface ParameterSource {
  readonly node: Node;
  readonly keys: readonly (string | typeof ITEM)[];
}

/** Array methods that call a function with each item; `reduce` gives the item second. */
const ITEM_METHODS = new Set([
  'map',
  'forEach',
  'filter',
  'find',
  'findIndex',
  'some',
  'every',
  'flatMap',
  'reduce',
  'reduceRight',
]);

/** Finds the calls of the functions and classes that a program defines, and so what their parameters get. */
export class LocalFunctions {
  readonly #scopes: Scopes;
  readonly #calls = new Map<Node, CallLike[]>();
  /** Methods of classes and objects, by name: any call of that name may mean them. */
  readonly #methods = new Map<string, FunctionNode[]>();
  readonly #fields = new Map<Node, Map<string, Node[]>>();

  constructor(program: Program) {
    this.#scopes = scopesOf(program);
    const calls: CallLike[] = [];
    const pending: Node[] = [...program.body];
    for (let at = 0; at < pending.length; at += 1) {
      const node = pending[at] as Node;
      if (node.type === 'CallExpression' || node.type === 'NewExpression') calls.push(node);
      else this.#noteDefinition(node);
      pending.push(...valueChildren(node));
    }
    for (const call of calls) for (const one of this.functionsOf(call)) this.#callsOf(one).push(call);
  }

  /** Lists the local functions that a call may run. */
  functionsOf(call: CallLike): FunctionNode[] {
    const callee = unwrap(call.callee);
    if (isFunction(callee)) return [callee];
    if (callee.type === 'Identifier') return this.#functionsOfName(callee);
    if (callee.type !== 'MemberExpression') return [];
    const name = staticKey(callee);
    return name === undefined ? [] : (this.#methods.get(name) ?? []);
  }

  /** Lists where the value of a parameter, or of the variable of a loop, comes from. */
  sourcesOf(binding: Binding): ParameterSource[] {
    if (!binding.constant) return [];
    for (const identifier of binding.identifiers) {
      const declared = this.#declarationOf(identifier);
      if (declared) return declared;
    }
    return [];
  }

  /** Lists the values that `this.key` gets in the class around a node. */
  fieldValues(node: Node, key: string): readonly Node[] {
    for (let at: Node | undefined = node; at; at = this.#scopes.parentOf.get(at)) {
      const fields = this.#fields.get(at);
      if (fields) return fields.get(key) ?? [];
    }
    return [];
  }

  #callsOf(node: Node): CallLike[] {
    const calls = this.#calls.get(node) ?? [];
    this.#calls.set(node, calls);
    return calls;
  }

  #noteDefinition(node: Node): void {
    if (node.type === 'ClassBody') this.#fields.set(node, new Map());
    if (node.type === 'MethodDefinition' && isFunction(node.value)) {
      const name = keyName(node);
      if (name !== undefined && node.kind !== 'constructor') this.#noteMethod(name, node.value);
    }
    if (node.type === 'Property' && isFunction(node.value)) {
      const name = staticKey(node);
      if (name !== undefined) this.#noteMethod(name, node.value);
    }
    if (node.type === 'PropertyDefinition' && node.value) this.#noteField(node, keyName(node), node.value);
    if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return;
    if (node.left.object.type === 'ThisExpression') this.#noteField(node, staticKey(node.left), node.right);
  }

  #noteMethod(name: string, method: FunctionNode): void {
    this.#methods.set(name, [...(this.#methods.get(name) ?? []), method]);
  }

  #noteField(node: Node, name: string | undefined, value: Node): void {
    if (name === undefined) return;
    for (let at: Node | undefined = node; at; at = this.#scopes.parentOf.get(at)) {
      const fields = this.#fields.get(at);
      if (!fields) continue;
      fields.set(name, [...(fields.get(name) ?? []), value]);
      return;
    }
  }

  #functionsOfName(name: Identifier): FunctionNode[] {
    const binding = this.#scopes.bindingOf.get(name);
    const init =
      binding?.constant && binding.origin?.keys.length === 0 ? unwrap(binding.origin.init) : undefined;
    if (init && isFunction(init)) return [init];
    for (const identifier of binding?.identifiers ?? []) {
      const parent = this.#scopes.parentOf.get(identifier);
      if (parent?.type === 'FunctionDeclaration' && parent.id === identifier) return [parent];
      if (parent?.type === 'ClassDeclaration' && parent.id === identifier) return constructorOf(parent);
    }
    return init?.type === 'ClassExpression' ? constructorOf(init) : [];
  }

  /** Climbs from a name through its pattern to the function or loop that declares it. */
  #declarationOf(identifier: Identifier): ParameterSource[] | undefined {
    const keys: (string | typeof ITEM)[] = [];
    const defaults: Node[] = [];
    let at: Node = identifier;
    for (
      let parent = this.#scopes.parentOf.get(at);
      parent;
      at = parent, parent = this.#scopes.parentOf.get(at)
    ) {
      if (parent.type === 'AssignmentPattern' && parent.left === at) defaults.push(parent.right);
      else if (parent.type === 'Property' && parent.value === at) {
        const key = staticKey(parent);
        if (key === undefined) return undefined;
        keys.unshift(key);
      } else if (parent.type === 'ArrayPattern') keys.unshift(String(parent.elements.indexOf(at as never)));
      else if (parent.type !== 'ObjectPattern') return this.#sourceAt(parent, at, keys, defaults);
    }
    return undefined;
  }

  #sourceAt(
    parent: Node,
    at: Node,
    keys: readonly (string | typeof ITEM)[],
    defaults: readonly Node[],
  ): ParameterSource[] | undefined {
    const usual = defaults.map((node) => ({ node, keys: [] }));
    if (isFunction(parent)) {
      const index = parent.params.indexOf(at as never);
      if (index === -1) return undefined;
      return [...this.#argumentsAt(parent, index, keys), ...usual];
    }
    if (parent.type !== 'VariableDeclarator') return undefined;
    const declaration = this.#scopes.parentOf.get(parent);
    const loop = declaration && this.#scopes.parentOf.get(declaration);
    if (loop?.type === 'ForOfStatement' && loop.left === declaration)
      return [{ node: loop.right, keys: [ITEM, ...keys] }];
    return parent.init ? [{ node: parent.init, keys }, ...usual] : usual;
  }

  #argumentsAt(node: FunctionNode, index: number, keys: ParameterSource['keys']): ParameterSource[] {
    const given = this.#callsOf(node).flatMap((call) => {
      const argument = call.arguments[index];
      return argument && argument.type !== 'SpreadElement' ? [{ node: argument, keys }] : [];
    });
    const call = this.#scopes.parentOf.get(node);
    if (call?.type !== 'CallExpression' || !call.arguments.includes(node as never)) return given;
    const callee = unwrap(call.callee);
    const method = callee.type === 'MemberExpression' ? staticKey(callee) : undefined;
    const itemAt = method?.startsWith('reduce') ? 1 : 0;
    if (callee.type !== 'MemberExpression' || index !== itemAt) return given;
    if (method === 'from' && call.arguments[0])
      return [...given, { node: call.arguments[0], keys: [ITEM, ...keys] }];
    return ITEM_METHODS.has(method ?? '')
      ? [...given, { node: callee.object, keys: [ITEM, ...keys] }]
      : given;
  }
}

export function isFunction(node: Node | null | undefined): node is FunctionNode {
  return (
    node?.type === 'FunctionDeclaration' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'ArrowFunctionExpression'
  );
}

function constructorOf(
  node: Extract<Node, { type: 'ClassDeclaration' | 'ClassExpression' }>,
): FunctionNode[] {
  return node.body.body.flatMap((member) =>
    member.type === 'MethodDefinition' && member.kind === 'constructor' && isFunction(member.value)
      ? [member.value]
      : [],
  );
}

function keyName(node: { key: Node; computed: boolean }): string | undefined {
  return !node.computed && node.key.type === 'Identifier' ? node.key.name : undefined;
}
