import type { Expression, Identifier, Node, Program } from './ast.ts';
import { Analysis } from './scope-analysis.ts';

/** A local name: one variable, parameter, function, class or caught error. */
export interface Binding {
  readonly name: string;
  /** Never given another value after its declaration. */
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

/** Where names may be declared. `var` belongs to the nearest function. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly isFunction: boolean;
  /** For the body of a function with defaults: the scope of its parameters, which the body's `var` may name again. */
  readonly params: Scope | undefined;
  readonly bindings: Map<string, Binding>;
}

export interface Scopes {
  /** The binding an identifier stands for; none for a global. */
  readonly bindingOf: ReadonlyMap<Node, Binding>;
  /** Identifiers that stand for something from outside, by name. */
  readonly globals: ReadonlyMap<string, Identifier[]>;
  readonly parentOf: ReadonlyMap<Node, Node>;
  /** True if `name` at this identifier means something declared in the program. */
  isShadowed(at: Node, name: string): boolean;
}

const known = new WeakMap<Program, Scopes>();

/** Which identifier means what. Worked out once for a program. */
export function scopesOf(program: Program): Scopes {
  const before = known.get(program);
  if (before) return before;
  const scopes = new Analysis(program).result();
  known.set(program, scopes);
  return scopes;
}
