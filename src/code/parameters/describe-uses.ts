import type { ArgumentUse } from '../references/argument-uses.ts';
import { type Comment, isWrapper, type Node, type Program, staticKey } from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import type { Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { boundOf } from './comparison-bounds.ts';
import { loopVariable, readName } from './literal-roles.ts';

/** In characters. */
const MAX_COMMENT = 120;
const MAX_PHRASES = 2;
/** Between a value and the comment that ends its line. */
const MAX_GAP = 40;
/** Comments to tools, not to people. */
const DIRECTIVE = /^\W*(?:@ts-|eslint|biome|prettier|todo|fixme)/i;
const TEXT_TESTS: Readonly<Record<string, string>> = {
  startsWith: 'start of',
  endsWith: 'end of',
  includes: 'looked for in',
  indexOf: 'looked for in',
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  '*': 'multiplied by',
  '/': 'divided by',
  '+': 'added to',
  '-': 'computed with',
  '%': 'computed with',
};

/** Says in words what a program does with an argument: the comment beside it, else `minimum of open`, `compared with status`. */
export function describeUses(program: Program, uses: readonly ArgumentUse[]): string | undefined {
  const scopes = scopesOf(program);
  const places = uses.flatMap(({ node }) => [node, ...namesFor(node, scopes)]);
  const comment = places
    .map((node) => commentBeside(program, node, scopes))
    .find((text) => text !== undefined);
  if (comment !== undefined) return comment;
  const phrases = new Set(places.flatMap((node) => phraseFor(node, scopes) ?? []));
  return phrases.size === 0 ? undefined : [...phrases].slice(0, MAX_PHRASES).join(', ');
}

/** The uses of the constant that is declared with a value. */
function namesFor(node: Node, scopes: Scopes): Node[] {
  const { parent } = around(node, scopes);
  if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') return [];
  const binding = scopes.bindingOf.get(parent.id);
  return binding?.constant ? binding.identifiers.filter((one) => one !== parent.id) : [];
}

/** The parent of an expression, past what leaves its meaning: casts, parentheses, copies, `!x` and `x ?? 5`. */
function around(node: Node, { parentOf }: Scopes): { at: Node; parent: Node | undefined } {
  let at = node;
  let parent = parentOf.get(at);
  while (parent && keepsMeaning(parent)) {
    at = parent;
    parent = parentOf.get(at);
  }
  return { at, parent };
}

function keepsMeaning(parent: Node): boolean {
  if (parent.type === 'CallExpression')
    return parent.callee.type === 'Identifier' && parent.callee.name === 'structuredClone';
  const isNegation = parent.type === 'UnaryExpression' && parent.operator === '!';
  return isWrapper(parent) || isNegation || parent.type === 'LogicalExpression';
}

/** The comment that ends the line of a constant or option: `const min = args.min; // units that must be there`. */
function commentBeside({ source, comments }: Program, node: Node, scopes: Scopes): string | undefined {
  const { parent } = around(node, scopes);
  if (parent?.type !== 'VariableDeclarator' && parent?.type !== 'Property') return undefined;
  const beside = firstAfter(comments, node.end);
  if (!beside || !/^[)\s,;]*$/.test(source.slice(node.end, Math.min(beside.start, node.end + MAX_GAP))))
    return undefined;
  if (beside.start > node.end + MAX_GAP || /[\n\r]/.test(source.slice(node.end, beside.start)))
    return undefined;
  const text = beside.value
    .split(/[*\s]+/)
    .filter(Boolean)
    .join(' ');
  return text && text.length <= MAX_COMMENT && /\p{L}{2}/u.test(text) && !DIRECTIVE.test(text)
    ? text
    : undefined;
}

/** The first comment from an offset on; comments are in source order. */
function firstAfter(comments: readonly Comment[], offset: number): Comment | undefined {
  let [low, high] = [0, comments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comments[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return comments[low];
}

function phraseFor(node: Node, scopes: Scopes): string | undefined {
  const { at, parent } = around(node, scopes);
  switch (parent?.type) {
    case 'BinaryExpression':
      return operandPhrase(parent, at, scopes);
    case 'CallExpression':
      return argumentPhrase(parent, at);
    case 'ForOfStatement': {
      const item = parent.right === at ? loopVariable(parent.left) : undefined;
      return item === undefined ? undefined : `list of which each is ${item}`;
    }
    case 'MemberExpression':
      return memberPhrase(parent, at, scopes);
    case 'TemplateLiteral':
      return partPhrase(parent, scopes);
    case 'IfStatement':
    case 'ConditionalExpression':
      return parent.test === at ? 'switches a step of the code on or off' : undefined;
    default:
      return undefined;
  }
}

function operandPhrase(
  node: Extract<Node, { type: 'BinaryExpression' }>,
  at: Node,
  scopes: Scopes,
): string | undefined {
  const name = readName(node.left === at ? node.right : node.left);
  if (name === undefined) return undefined;
  const arithmetic = ARITHMETIC[node.operator];
  if (arithmetic !== undefined)
    return node.operator === '/' && node.right === at ? `divides ${name}` : `${arithmetic} ${name}`;
  if (/^[!=]==?$/.test(node.operator)) return `compared with ${name}`;
  const bound = boundOf(node, at, scopes);
  return bound && `${bound}imum of ${name}`;
}

function argumentPhrase(call: Extract<Node, { type: 'CallExpression' }>, at: Node): string | undefined {
  const { callee } = call;
  if (callee.type !== 'MemberExpression') return undefined;
  const method = staticKey(callee) ?? '';
  const of = readName(callee.object);
  const index = call.arguments.indexOf(at as never);
  if (TEXT_TESTS[method] && index === 0) return of && `${TEXT_TESTS[method]} ${of}`;
  const isCount = method === 'slice' && index === 1 && scalarOf(call.arguments[0] as Node) === 0;
  return isCount ? `number of ${of ?? 'items'} that are taken` : undefined;
}

function memberPhrase(
  member: Extract<Node, { type: 'MemberExpression' }>,
  at: Node,
  scopes: Scopes,
): string | undefined {
  if (member.object !== at) return member.computed ? keyPhrase(member.object) : undefined;
  const call = scopes.parentOf.get(member);
  if (call?.type !== 'CallExpression' || call.callee !== member) return undefined;
  const [first] = call.arguments;
  if (staticKey(member) !== 'includes' || !first) return undefined;
  const name = readName(first);
  return name && `what ${name} may be`;
}

function keyPhrase(object: Node): string | undefined {
  const name = readName(object);
  return name && `key of ${name}`;
}

/** A part of a text that has a name: `part of title` for `{ title: `Report of ${args.city}` }`. */
function partPhrase(template: Node, scopes: Scopes): string | undefined {
  const { parent } = around(template, scopes);
  if (parent?.type === 'Property' && parent.value === template) {
    const key = staticKey(parent);
    return key && `part of ${key}`;
  }
  return parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier'
    ? `part of ${parent.id.name}`
    : 'part of a text';
}
