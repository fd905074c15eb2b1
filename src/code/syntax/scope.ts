import type { Expression, Identifier, Node } from './ast.ts';

/** A local name: one variable, parameter, function, class or caught error. */
export interface Binding {
  readonly name: string;
  /** True if it gets no other value after its declaration. */
  constant: boolean;
  /** Where its value comes from: `keys` of `init`. Unknown for parameters, loops, rests and defaults. */
  readonly origin: Origin | undefined;
  /** Every identifier that stands for it, its declaration included. */
  readonly identifiers: Identifier[];
}

export interface Origin {
  readonly init: Expression;
  readonly keys: readonly string[];
}

/** A region in which names are declared. `var` belongs to the nearest function. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly isFunction: boolean;
  /** For the body of a function with defaults: the scope of its parameters, which the body's `var` may redeclare. */
  readonly params: Scope | undefined;
  readonly bindings: Map<string, Binding>;
}

export interface Scopes {
  /** The binding that an identifier stands for; none for a global. */
  readonly bindingOf: ReadonlyMap<Node, Binding>;
  /** The identifiers that no scope of the program declares, by name. */
  readonly globals: ReadonlyMap<string, Identifier[]>;
  readonly parentOf: ReadonlyMap<Node, Node>;
  /** True if `name`, used at this node, means something declared in the program. */
  isShadowed(at: Node, name: string): boolean;
}

export function newScope(parent: Scope | undefined, isFunction = false, params?: Scope): Scope {
  return { parent, isFunction, params, bindings: new Map() };
}

export function functionScope(scope: Scope): Scope {
  return scope.isFunction || !scope.parent ? scope : functionScope(scope.parent);
}

/** Finds the binding that a name has in a scope, or in one around it. */
export function lookUp(scope: Scope, name: string): Binding | undefined {
  return scope.bindings.get(name) ?? (scope.parent && lookUp(scope.parent, name));
}
