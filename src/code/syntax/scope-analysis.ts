import { type Identifier, isTypeOnly, type Node, type Program, staticKey, valueChildren } from './ast.ts';
import {
  type Binding,
  functionScope,
  lookUp,
  newScope,
  type Origin,
  type Scope,
  type Scopes,
} from './scope.ts';

type FunctionNode = Extract<Node, { params: unknown; body: unknown; async: unknown }>;
/** Called for each name in a pattern, to declare it or to note that it gets a new value. */
type OnName = (identifier: Identifier, origin: Origin | undefined) => void;

const cache = new WeakMap<Program, Scopes>();

/** Resolves each identifier to what it stands for. Cached per program. */
export function scopesOf(program: Program): Scopes {
  const cached = cache.get(program);
  if (cached) return cached;
  const scopes = new ScopeAnalysis(program).result();
  cache.set(program, scopes);
  return scopes;
}

/** Walks a program once and finds its scopes, its names and what each identifier stands for. */
class ScopeAnalysis {
  readonly bindingOf = new Map<Node, Binding>();
  readonly globals = new Map<string, Identifier[]>();
  readonly parentOf = new Map<Node, Node>();
  readonly scopeOf = new Map<Node, Scope>();
  readonly uses: { identifier: Identifier; scope: Scope; writes: boolean }[] = [];

  constructor(program: Program) {
    const top = newScope(undefined, true);
    for (const statement of program.body) if (!isTypeOnly(statement)) this.visit(statement, top);
    // A name may be used above its declaration, so uses are resolved at the end.
    for (const { identifier, scope, writes } of this.uses) this.resolve(identifier, scope, writes);
  }

  result(): Scopes {
    const { bindingOf, globals, parentOf, scopeOf } = this;
    const isShadowed = (at: Node, name: string): boolean => {
      let holder: Node | undefined = at;
      while (holder && !scopeOf.has(holder)) holder = parentOf.get(holder);
      return holder !== undefined && lookUp(scopeOf.get(holder) as Scope, name) !== undefined;
    };
    return { bindingOf, globals, parentOf, isShadowed };
  }

  resolve(identifier: Identifier, scope: Scope, writes: boolean): void {
    const binding = lookUp(scope, identifier.name);
    if (!binding) {
      const same = this.globals.get(identifier.name);
      if (same) same.push(identifier);
      else this.globals.set(identifier.name, [identifier]);
      return;
    }
    if (writes) binding.constant = false;
    binding.identifiers.push(identifier);
    this.bindingOf.set(identifier, binding);
  }

  visit(node: Node, scope: Scope): void {
    this.scopeOf.set(node, scope);
    switch (node.type) {
      case 'Identifier':
        this.uses.push({ identifier: node, scope, writes: false });
        return;
      case 'AssignmentExpression':
        this.assign(node, node.left, scope);
        this.walk(node, [node.right], scope);
        return;
      case 'UpdateExpression':
        this.assign(node, node.argument, scope);
        return;
      case 'MemberExpression':
        this.walk(node, node.computed ? [node.object, node.property] : [node.object], scope);
        return;
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) this.walk(node, [node.key], scope);
        if (node.value) this.walk(node, [node.value], scope);
        return;
      case 'LabeledStatement':
        this.walk(node, [node.body], scope);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
        return;
      default:
        this.visitDeclaring(node, scope);
    }
  }

  /** Handles declarations. */
  visitDeclaring(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'VariableDeclaration':
        for (const declarator of node.declarations) {
          this.adopt(node, declarator, scope);
          const holder = node.kind === 'var' ? functionScope(scope) : scope;
          const origin = declarator.init ? { init: declarator.init, keys: [] } : undefined;
          this.declare(declarator, declarator.id, scope, holder, origin);
          if (declarator.init) this.walk(declarator, [declarator.init], scope);
        }
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.visitFunction(node, this.named(node, node.id, scope, node.type !== 'FunctionDeclaration'));
        return;
      case 'ClassDeclaration':
      case 'ClassExpression': {
        const own = this.named(node, node.id, scope, node.type === 'ClassExpression');
        this.walk(node, node.superClass ? [node.superClass, node.body] : [node.body], own);
        return;
      }
      default:
        this.visitBlock(node, scope);
    }
  }

  /** Handles statements that open a scope; walks the children of all other nodes. */
  visitBlock(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'ForInStatement':
      case 'ForOfStatement': {
        const own = newScope(scope);
        if (node.left.type === 'VariableDeclaration') this.walk(node, [node.left], own);
        else this.assign(node, node.left, own);
        this.walk(node, [node.right, node.body], own);
        return;
      }
      case 'SwitchStatement':
        this.walk(node, [node.discriminant], scope);
        this.walk(node, node.cases, newScope(scope));
        return;
      case 'CatchClause': {
        const own = newScope(scope);
        if (node.param) this.declare(node, node.param, own, own, undefined);
        this.walk(node, [node.body], own);
        return;
      }
      case 'BlockStatement':
      case 'ForStatement':
        this.walk(node, valueChildren(node), newScope(scope));
        return;
      case 'StaticBlock':
        this.walk(node, valueChildren(node), newScope(scope, true));
        return;
      default:
        this.walk(node, valueChildren(node), scope);
    }
  }

  /** Declares the name of a function or class. The name of an expression is visible only inside it. */
  named(node: Node, id: Identifier | null, scope: Scope, inside: boolean): Scope {
    const own = id && inside ? newScope(scope) : scope;
    if (id) this.declare(node, id, own, own, undefined);
    return own;
  }

  visitFunction(node: FunctionNode, scope: Scope): void {
    const head = newScope(scope, true);
    for (const param of node.params) {
      // `this: T` is a type, not a parameter.
      if (param.type !== 'Identifier' || param.name !== 'this')
        this.declare(node, param, head, head, undefined);
    }
    if (!node.body) return;
    // Defaults of parameters cannot see what the body declares.
    const isSimple = node.params.every(({ type }) => type === 'Identifier');
    const inner = isSimple ? head : newScope(head, true, head);
    this.adopt(node, node.body, inner);
    if (node.body.type === 'BlockStatement') this.walk(node.body, valueChildren(node.body), inner);
    else this.visit(node.body, inner);
  }

  walk(parent: Node, children: readonly Node[], scope: Scope): void {
    for (const child of children) {
      this.adopt(parent, child, scope);
      if (!isTypeOnly(child)) this.visit(child, scope);
    }
  }

  adopt(parent: Node, child: Node, scope: Scope): void {
    this.parentOf.set(child, parent);
    this.scopeOf.set(child, scope);
  }

  declare(parent: Node, pattern: Node, scope: Scope, holder: Scope, origin: Origin | undefined): void {
    this.pattern(parent, pattern, scope, (identifier, from) => this.bind(identifier, holder, from), origin);
  }

  assign(parent: Node, pattern: Node, scope: Scope): void {
    const write: OnName = (identifier) => this.uses.push({ identifier, scope, writes: true });
    this.pattern(parent, pattern, scope, write, undefined);
  }

  /** Calls `onName` for every name in a pattern. Defaults and computed keys are evaluated in `scope`. */
  pattern(parent: Node, node: Node, scope: Scope, onName: OnName, origin: Origin | undefined): void {
    this.adopt(parent, node, scope);
    const inner = (child: Node, from?: Origin): void => this.pattern(node, child, scope, onName, from);
    switch (node.type) {
      case 'Identifier':
        onName(node, origin);
        return;
      case 'AssignmentPattern':
        inner(node.left);
        this.walk(node, [node.right], scope);
        return;
      case 'RestElement':
        inner(node.argument);
        return;
      case 'ArrayPattern':
        for (const element of node.elements) if (element) inner(element);
        return;
      case 'ObjectPattern':
        for (const property of node.properties) inner(property, origin);
        return;
      case 'Property': {
        if (node.computed) this.walk(node, [node.key], scope);
        const key = staticKey(node);
        inner(
          node.value,
          origin && key !== undefined ? { ...origin, keys: [...origin.keys, key] } : undefined,
        );
        return;
      }
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        inner(node.expression);
        return;
      default:
        this.visit(node, scope);
    }
  }

  bind(identifier: Identifier, holder: Scope, origin: Origin | undefined): void {
    const { name } = identifier;
    const same = holder.bindings.get(name) ?? holder.params?.bindings.get(name);
    const binding = same ?? { name, constant: true, origin, identifiers: [] };
    // `var x = 1; var x = 2`, or a variable named like a parameter: one binding, two values.
    if (same) same.constant = false;
    else holder.bindings.set(name, binding);
    binding.identifiers.push(identifier);
    this.bindingOf.set(identifier, binding);
  }
}
