import { pathOf } from '../references/global-paths.ts';
import {
  type CallNode,
  isWrapper,
  type Node,
  type Program,
  staticKey,
  stringValue,
  unwrap,
  valueChildren,
} from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import type { Binding, Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { boundOf } from './comparison-bounds.ts';
import type { LocalFunctions } from './local-functions.ts';
import type { ValueFlow } from './value-flow.ts';

/** The part that a literal plays where it stands. */
export interface Role {
  /**
   * `named`: it has a name of its own, as a constant, an option or an argument. `used`: it stands in a comparison, a computation,
   * a slice or a key. `label`: it is a part of a result or a message. `none`: it belongs to the program.
   */
  readonly kind: 'named' | 'used' | 'label' | 'none';
  /** The word that the code has for it. */
  readonly key: string | undefined;
  /** The word for what a constant is used for: `min_total` of `const W = 5; … order.total > W`. */
  readonly alias?: string | undefined;
  /** True for `${5}`: it is written into a text on purpose, so it follows the value that it equals. */
  readonly isWritten?: boolean;
  /** True for a factor or a term, which may convert units. */
  readonly isTerm?: boolean;
  /** True for a test of a text's part, as by `startsWith`: the whole text does not follow it. */
  readonly isTest?: boolean;
  /** True for a list of work to do, which grows and shrinks: its first items are data, but not the list. */
  readonly isWork?: boolean;
  /** True for a value that the code knows, as in `case "csv"` or a list of what is allowed: it follows no equal data. */
  readonly isKnown?: boolean;
}

const NONE: Role = { kind: 'none', key: undefined };
const KNOWN: Role = { ...NONE, isKnown: true };
const WRITTEN: Role = { kind: 'used', key: undefined, isWritten: true };
/** It is no data by itself, and may mean the same as equal data. */
const UNCLEAR: Role = { kind: 'label', key: undefined };
const COMPARISONS = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>=']);
const EQUALITIES = new Set(['===', '!==', '==', '!=']);
const ARITHMETIC = new Set(['*', '/', '%', '-', '+', '**']);
const TEXT_TESTS = new Set(['startsWith', 'endsWith', 'includes', 'indexOf', 'lastIndexOf']);
const CUTS = new Set(['slice', 'substring', 'substr']);
const COUNTS = new Set(['slice', 'at', 'substring', 'splice']);
const SETTERS = /^set(?:UTC)?(?:FullYear|Month|Date|Hours|Minutes|Seconds)$/;
/** Functions and methods whose result is their argument in another form: it plays the part that the result plays. */
const CONVERSIONS = new Set([
  'Number',
  'String',
  'parseInt',
  'parseFloat',
  'encodeURIComponent',
  'encodeURI',
]);
const FORMS = new Set(['trim', 'toLowerCase', 'toUpperCase', 'padStart', 'padEnd', 'toString', 'toFixed']);
const MEMBERSHIP = new Set(['includes', 'indexOf', 'has']);
const LIST_METHODS = new Set([
  'length',
  'map',
  'forEach',
  'filter',
  'reduce',
  'some',
  'every',
  'find',
  'flatMap',
  'entries',
  'includes',
]);

/** Says what the literals of a program are there for. */
export class LiteralRoles {
  readonly #scopes: Scopes;
  readonly #flow: ValueFlow;
  readonly #functions: LocalFunctions;
  /** The literals that texts are tested for, wherever they are written. */
  readonly #tested: ReadonlySet<Node>;

  constructor(program: Program, flow: ValueFlow) {
    this.#scopes = scopesOf(program);
    this.#flow = flow;
    this.#functions = flow.functions;
    this.#tested = new Set(testsOf(program).flatMap((test) => flow.literalsOf(test).map(({ node }) => node)));
  }

  /** The role of a scalar or of a written-out list. */
  of(node: Node): Role {
    const role = this.#roleOf(node);
    return this.#tested.has(node) ? { ...role, isTest: true } : role;
  }

  #roleOf(node: Node): Role {
    const { at, parent } = this.#around(node);
    switch (parent?.type) {
      case 'VariableDeclarator':
        return parent.init === at ? this.#declared(parent) : NONE;
      case 'AssignmentPattern':
        return parent.right === at ? named(nameOf(parent.left)) : NONE;
      case 'PropertyDefinition':
        return parent.value === at ? named(nameOf(parent.key)) : NONE;
      case 'Property':
        return this.#property(parent, at);
      case 'CallExpression':
      case 'NewExpression':
        return this.#argument(parent, at);
      case 'BinaryExpression':
        return this.#operand(parent, at);
      case 'MemberExpression':
        return this.#member(parent, at);
      case 'TemplateLiteral':
        return WRITTEN;
      case 'ConditionalExpression':
      case 'IfStatement':
        return parent.test === at ? WRITTEN : NONE;
      case 'LogicalExpression':
        return parent.left === at ? this.#ofResult(parent, WRITTEN) : NONE;
      case 'UnaryExpression':
        return parent.operator === '!' ? WRITTEN : NONE;
      case 'SwitchCase':
        return KNOWN;
      case 'AssignmentExpression':
        return parent.right === at && isKeyedByText(parent.left) ? used('value') : NONE;
      case 'ForOfStatement':
        return parent.right === at ? named(loopName(parent.left)) : NONE;
      case 'ArrayExpression':
        return this.#element(parent, at);
      default:
        return NONE;
    }
  }

  /** The role of an expression that stands for the literal in it. */
  #ofResult(expression: Node, otherwise: Role): Role {
    const role = this.of(expression);
    return role.kind === 'none' && !role.isKnown ? otherwise : role;
  }

  #around(node: Node): { at: Node; parent: Node | undefined } {
    let at = node;
    let parent = this.#scopes.parentOf.get(at);
    while (
      parent &&
      (isWrapper(parent) || (parent.type === 'UnaryExpression' && scalarOf(parent) !== undefined))
    ) {
      at = parent;
      parent = this.#scopes.parentOf.get(at);
    }
    return { at, parent };
  }

  #declared({ id }: Extract<Node, { type: 'VariableDeclarator' }>): Role {
    const binding = id.type === 'Identifier' ? this.#scopes.bindingOf.get(id) : undefined;
    if (!binding?.constant || binding.identifiers.length < 2) return NONE;
    if (binding.identifiers.some((use) => this.#changesList(use))) return { ...NONE, isWork: true };
    return this.#selectsTool(binding) ? NONE : { ...named(binding.name), alias: this.#aliasOf(binding) };
  }

  #aliasOf({ identifiers }: Binding): string | undefined {
    for (const use of identifiers) {
      // A constant of a constant could lead here again.
      if (this.#around(use).parent?.type === 'VariableDeclarator') continue;
      const { kind, key } = this.of(use);
      if (kind === 'used' && key !== undefined) return key;
    }
    return undefined;
  }

  /** True for `name` in `mcp.fs[name]` and `const { [name]: tool } = mcp.fs`: another value would be another program. */
  #selectsTool({ identifiers }: Binding): boolean {
    return identifiers.some((use) => {
      const { at, parent } = this.#around(use);
      if (parent?.type === 'Property' && parent.computed && parent.key === at) {
        const pattern = this.#scopes.parentOf.get(parent);
        const declared = pattern?.type === 'ObjectPattern' ? this.#scopes.parentOf.get(pattern) : undefined;
        if (declared?.type !== 'VariableDeclarator' || !declared.init) return false;
        return pathOf(declared.init, 'mcp', this.#scopes) !== undefined;
      }
      if (parent?.type !== 'MemberExpression' || !parent.computed || parent.property !== at) return false;
      return pathOf(parent.object, 'mcp', this.#scopes) !== undefined;
    });
  }

  /** True for `queue` in `queue.push(…)`. */
  #changesList(use: Node): boolean {
    const parent = this.#scopes.parentOf.get(use);
    if (parent?.type !== 'MemberExpression' || parent.object !== use) return false;
    return /^(?:push|pop|shift|unshift|splice|sort|reverse|fill)$/.test(staticKey(parent) ?? '');
  }

  #property(parent: Extract<Node, { type: 'Property' }>, at: Node): Role {
    if (parent.computed && parent.key === at) return { ...used('key'), isWritten: true };
    if (parent.value !== at) return NONE;
    const key = staticKey(parent);
    if (parent.computed && stringValue(unwrap(parent.key)) !== undefined) return used('value');
    const object = this.#scopes.parentOf.get(parent);
    const made = object && this.#scopes.parentOf.get(object);
    if (key === 'length' && made?.type === 'CallExpression' && isMethodOf(made, 'Array', 'from'))
      return named(this.#resultName(made) ?? 'count');
    return object && this.#isOptions(object) ? named(key) : { kind: 'label', key };
  }

  /** True for an object of options: one that a local function takes, or a constant that is read by its keys alone. */
  #isOptions(object: Node): boolean {
    const { at, parent } = this.#around(object);
    if (parent?.type === 'Property' && parent.value === at) {
      const outer = this.#scopes.parentOf.get(parent);
      return outer !== undefined && outer.type === 'ObjectExpression' && this.#isOptions(outer);
    }
    if (parent?.type === 'CallExpression' || parent?.type === 'NewExpression')
      return parent.callee !== at && (this.#functions.functionsOf(parent).length > 0 || isListing(parent));
    if (parent?.type !== 'VariableDeclarator' || parent.init !== at) return false;
    if (parent.id.type === 'ObjectPattern') return true;
    const binding = parent.id.type === 'Identifier' ? this.#scopes.bindingOf.get(parent.id) : undefined;
    if (!binding?.constant || at.type !== 'ObjectExpression') return false;
    return binding.identifiers.every((one) => one === parent.id || this.#readsByKey(one));
  }

  #readsByKey(use: Node): boolean {
    const { at, parent } = this.#around(use);
    if (parent?.type === 'SpreadElement' || (parent?.type === 'CallExpression' && isListing(parent)))
      return true;
    if (parent?.type === 'VariableDeclarator')
      return parent.init === at && parent.id.type === 'ObjectPattern';
    if (parent?.type !== 'MemberExpression' || parent.object !== at || parent.computed) return false;
    const holder = this.#scopes.parentOf.get(parent);
    return (
      !(holder?.type === 'AssignmentExpression' && holder.left === parent) &&
      holder?.type !== 'UpdateExpression'
    );
  }

  #argument(call: Extract<Node, { type: 'CallExpression' | 'NewExpression' }>, at: Node): Role {
    const index = call.arguments.indexOf(at as never);
    if (index === -1) return NONE;
    const [own] = this.#functions.functionsOf(call);
    if (own) return named(nameOf(own.params[index]));
    const callee = unwrap(call.callee);
    if (
      callee.type === 'Identifier' &&
      (callee.name === 'Set' || callee.name === 'Map') &&
      at.type === 'ArrayExpression'
    )
      return named(this.#resultName(call));
    if (callee.type === 'Identifier' && index === 0 && CONVERSIONS.has(callee.name))
      return this.#ofResult(call, NONE);
    if (callee.type === 'Identifier')
      return callee.name === 'Date' && index === 0 ? named(this.#resultName(call) ?? 'date') : NONE;
    if (callee.type !== 'MemberExpression') return NONE;
    return this.#methodArgument(call, at, index, callee);
  }

  #methodArgument(
    call: Extract<Node, { type: 'CallExpression' | 'NewExpression' }>,
    at: Node,
    index: number,
    callee: Extract<Node, { type: 'MemberExpression' }>,
  ): Role {
    const method = staticKey(callee) ?? '';
    const holder = callee.object.type === 'Identifier' ? callee.object.name : undefined;
    if (holder === 'Date' && method === 'parse') return named(this.#resultName(call) ?? 'date');
    if (holder === 'Array' && method === 'from' && index === 0) return named(undefined);
    if (holder === 'Math' && (method === 'min' || method === 'max')) return used(`${method}imum`);
    if (SETTERS.test(method) && index === 0) return used(method.replace(/^set(?:UTC)?/, '').toLowerCase());
    if (TEXT_TESTS.has(method) && index === 0)
      return this.#testOfData(unwrap(callee.object), at) ?? used(readName(callee.object) ?? 'text');
    return COUNTS.has(method) && typeof scalarOf(at) === 'number' && !isDateText(callee.object)
      ? used('limit')
      : NONE;
  }

  /** The constant that gets the value of a call: `start` in `const start = new Date("2026-03-02")`. */
  #resultName(call: Node): string | undefined {
    const { parent } = this.#around(call);
    const name = parent?.type === 'VariableDeclarator' ? nameOf(parent.id) : undefined;
    return name !== undefined && /^[A-Za-z]{3,}$/.test(name) ? name : undefined;
  }

  #operand(node: Extract<Node, { type: 'BinaryExpression' }>, at: Node): Role {
    const other = unwrap(node.left === at ? node.right : node.left);
    const test = EQUALITIES.has(node.operator) ? this.#testOfData(other, at) : undefined;
    if (test) return test;
    if (scalarOf(other) !== undefined && !ARITHMETIC.has(node.operator)) return used(undefined);
    if (COMPARISONS.has(node.operator)) return this.#compared(node, at, other);
    if (node.operator === '+' && typeof scalarOf(at) === 'number' && ofText(other)) return WRITTEN;
    const isNumber = typeof scalarOf(at) === 'number' && !ofText(other);
    return ARITHMETIC.has(node.operator) && isNumber ? { ...used(readName(other)), isTerm: true } : NONE;
  }

  /** `const mode = "preview"; if (mode === "apply")`: the data is tested, and is no part of the test. */
  #testOfData(other: Node, at: Node): Role | undefined {
    if (other.type !== 'Identifier' && other.type !== 'MemberExpression') return undefined;
    const values = this.#flow
      .literalsOf(other)
      .flatMap(({ node, isPart }) => (isPart ? [] : [scalarOf(node)]));
    const value = scalarOf(at);
    if (values.length === 1 && (typeof value === 'string' || values[0] === value)) return KNOWN;
    return values.includes(value) ? UNCLEAR : undefined;
  }

  #compared(node: Extract<Node, { type: 'BinaryExpression' }>, at: Node, other: Node): Role {
    if (other.type === 'UnaryExpression') return NONE;
    if (this.#counts(other)) return this.#isLoopTest(node) ? used('rounds') : UNCLEAR;
    const name = readName(other);
    if (typeof this.#scalarOf(at) !== 'number' || name === undefined) return used(name);
    const bound = boundOf(node, at, this.#scopes);
    return used(bound === undefined ? name : `${bound}_${name}`);
  }

  /** The value of a literal, or of the constant that holds one. */
  #scalarOf(node: Node): unknown {
    const origin = node.type === 'Identifier' ? this.#scopes.bindingOf.get(node)?.origin : undefined;
    return scalarOf(origin?.keys.length === 0 ? origin.init : node);
  }

  /** True for `i < 3` in `for (let i = 0; i < 3; i += 1)`. */
  #isLoopTest(node: Node): boolean {
    const parent = this.#scopes.parentOf.get(node);
    if (parent?.type === 'LogicalExpression') return this.#isLoopTest(parent);
    return parent?.type === 'ForStatement' && parent.test === node;
  }

  /** True for a variable that the code counts up or down under a name that says nothing, such as that of a loop. */
  #counts(node: Node): boolean {
    if (node.type !== 'Identifier' || /^[a-z]{4,}$/i.test(node.name)) return false;
    const uses = this.#scopes.bindingOf.get(node)?.identifiers ?? [];
    return uses.some((use) => {
      const parent = this.#scopes.parentOf.get(use);
      if (parent?.type === 'UpdateExpression') return true;
      return (
        parent?.type === 'AssignmentExpression' &&
        parent.left === use &&
        parent.operator !== '=' &&
        scalarOf(parent.right) === 1
      );
    });
  }

  #member(parent: Extract<Node, { type: 'MemberExpression' }>, at: Node): Role {
    if (parent.object === at) return this.#receiver(parent);
    if (!parent.computed || typeof scalarOf(at) !== 'string') return NONE;
    if (pathOf(parent.object, 'mcp', this.#scopes)) return NONE;
    return used('key');
  }

  /** A list that stands before `.map(…)` is data like one in a constant. */
  #receiver(parent: Extract<Node, { type: 'MemberExpression' }>): Role {
    const method = staticKey(parent) ?? '';
    if (parent.object.type === 'ArrayExpression') {
      return LIST_METHODS.has(method) ? named(undefined) : NONE;
    }
    const call = this.#scopes.parentOf.get(parent);
    if (call?.type !== 'CallExpression' || call.callee !== parent) return NONE;
    if (method === 'split') return named(this.#resultName(call));
    return FORMS.has(method) ? this.#ofResult(call, NONE) : NONE;
  }

  /** `const [a, b] = ["x", "y"]` names its items. */
  #element(list: Extract<Node, { type: 'ArrayExpression' }>, at: Node): Role {
    const { parent } = this.#around(list);
    if (this.#isAllowed(list)) return KNOWN;
    if (parent?.type !== 'VariableDeclarator') return UNCLEAR;
    if (parent.id.type === 'ArrayPattern')
      return named(nameOf(parent.id.elements[list.elements.indexOf(at as never)]));
    const binding = parent.id.type === 'Identifier' ? this.#scopes.bindingOf.get(parent.id) : undefined;
    const isWork = binding?.identifiers.some((use) => !binding.constant || this.#changesList(use));
    return list.elements.length === 1 && isWork ? named(undefined) : NONE;
  }

  /** True for a list in which the code only looks up its own data. */
  #isAllowed(list: Node): boolean {
    const { at, parent } = this.#around(list);
    if (parent?.type === 'MemberExpression') return parent.object === at && this.#looksUpData(parent);
    if (parent?.type === 'NewExpression') return classNameOf(parent) === 'Set' && this.#isAllowed(parent);
    if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') return false;
    const binding = this.#scopes.bindingOf.get(parent.id);
    const uses = binding?.constant ? binding.identifiers.filter((use) => use !== parent.id) : [];
    return uses.length > 0 && uses.every((use) => this.#isLookedUp(use));
  }

  #isLookedUp(use: Node): boolean {
    const { at, parent } = this.#around(use);
    return parent?.type === 'MemberExpression' && parent.object === at && this.#looksUpData(parent);
  }

  /** True for `list.includes` in `list.includes("csv")`, also if the text has a name. */
  #looksUpData(member: Extract<Node, { type: 'MemberExpression' }>): boolean {
    const call = this.#scopes.parentOf.get(member);
    if (call?.type !== 'CallExpression' || !MEMBERSHIP.has(staticKey(member) ?? '')) return false;
    const [sought] = call.arguments;
    return sought !== undefined && this.#flow.literalsOf(sought).some(({ isPart }) => !isPart);
  }
}

/** The values that a program tests parts of texts for: `p` in `path.startsWith(p)` and in `path.slice(0, 5) === p`. */
function testsOf(program: Program): Node[] {
  const tests: Node[] = [];
  const pending: Node[] = [...program.body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    pending.push(...valueChildren(node));
    if (node.type === 'CallExpression' && TEXT_TESTS.has(methodOf(node) ?? ''))
      tests.push(...node.arguments.slice(0, 1));
    if (node.type !== 'BinaryExpression' || !EQUALITIES.has(node.operator)) continue;
    if (CUTS.has(methodOf(node.left) ?? '')) tests.push(node.right);
    if (CUTS.has(methodOf(node.right) ?? '')) tests.push(node.left);
  }
  return tests;
}

/** The name of the class of `new Set(…)`. */
function classNameOf({ callee }: Extract<Node, { type: 'NewExpression' }>): string | undefined {
  return callee.type === 'Identifier' ? callee.name : undefined;
}

/** The name of the method that a node calls. */
function methodOf(node: Node): string | undefined {
  const call = unwrap(node);
  const callee = call.type === 'CallExpression' ? unwrap(call.callee) : undefined;
  return callee?.type === 'MemberExpression' ? staticKey(callee) : undefined;
}

function named(key: string | undefined): Role {
  return { kind: 'named', key };
}

function used(key: string | undefined): Role {
  return { kind: 'used', key };
}

/** The name that a parameter or pattern declares. */
function nameOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'AssignmentPattern') return nameOf(node.left);
  return node?.type === 'Identifier' ? node.name : undefined;
}

/** The last name of what is read: `total` of `order.total`, also if it is changed on the way, as by `Number(…)`. */
export function readName(node: Node): string | undefined {
  const inner = unwrap(node);
  if (inner.type === 'Identifier') return inner.name.length > 1 ? inner.name : undefined;
  if (inner.type === 'MemberExpression') {
    const key = staticKey(inner);
    if (key === 'length') return readName(inner.object);
    return key !== undefined && /^[A-Za-z_]\w/.test(key) ? key : undefined;
  }
  if (inner.type !== 'CallExpression') return undefined;
  if (inner.callee.type === 'MemberExpression') return readName(inner.callee.object);
  return inner.arguments[0] ? readName(inner.arguments[0]) : undefined;
}

/** True for `date.toISOString()`, of which code cuts the same parts in every program. */
function isDateText(node: Node): boolean {
  const inner = unwrap(node);
  return (
    inner.type === 'CallExpression' &&
    inner.callee.type === 'MemberExpression' &&
    /^to\w*String$/.test(staticKey(inner.callee) ?? '')
  );
}

/** True for `Array.from(…)`, given the names. */
function isMethodOf({ callee }: CallNode, object: string, method: string): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === object &&
    staticKey(callee) === method
  );
}

/** True for `Object.entries(…)` and the like, which read an object as a list of options. */
function isListing(call: Node): boolean {
  return (
    call.type === 'CallExpression' &&
    ['entries', 'values', 'keys'].some((method) => isMethodOf(call, 'Object', method))
  );
}

function ofText(node: Node): boolean {
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return [node.left, node.right].some((one) => ofText(unwrap(one)));
  return node.type === 'TemplateLiteral' || typeof scalarOf(node) === 'string';
}

/** True for `config["timeoutMs"]`. */
function isKeyedByText(node: Node): boolean {
  return (
    node.type === 'MemberExpression' && node.computed && stringValue(unwrap(node.property)) !== undefined
  );
}

function loopName(left: Node): string | undefined {
  const name = loopVariable(left);
  return name === undefined ? undefined : pluralOf(name);
}

/** The variable of a loop: `city` of `for (const city of …)`. */
export function loopVariable(left: Node): string | undefined {
  return left.type === 'VariableDeclaration' ? nameOf(left.declarations[0]?.id) : undefined;
}

/** `city` → `cities`, `path` → `paths`. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}
