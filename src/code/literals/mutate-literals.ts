import MagicString from 'magic-string';
import type { Json } from '../../json.ts';
import { isWrapper, type Node, type Program, stringValue, unwrap } from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { isExpressionPosition, keyedNodesOf } from './keyed-nodes.ts';

/** A text or number of a program that decides what it does. */
export interface TellingLiteral {
  readonly value: string | number;
  /** The program with another value there. */
  readonly mutated: string;
}

const TEXT = /[\p{L}\p{N}]/u;
const MAX_LITERALS = 100;

/**
 * Lists the texts and numbers of a program, and the parts of its templates, without those that only the console or an error
 * gets: nobody compares these.
 */
export function tellingLiterals(program: Program): TellingLiteral[] {
  const found: TellingLiteral[] = [];
  const { parentOf } = scopesOf(program);
  const isUnseen = (node: Node) => isInMessage(node, (one) => parentOf.get(one));
  const mutated = (node: Node, text: string) =>
    new MagicString(program.source).overwrite(node.start, node.end, text).toString();
  for (const { node, parent } of keyedNodesOf(program)) {
    if (found.length >= MAX_LITERALS) break;
    if (node.type === 'TemplateLiteral' && node.expressions.length > 0 && !isUnseen(node)) {
      for (const { value, start, end } of node.quasis)
        if (TEXT.test(value.raw))
          found.push({ value: value.cooked ?? value.raw, mutated: insert(program, start, end) });
      continue;
    }
    if (isWrapper(node) || !isExpressionPosition(node, parent) || isUnseen(node)) continue;
    const value = stringValue(node) ?? scalarOf(node);
    if (typeof value === 'number' && Math.abs(value) > 1)
      found.push({ value, mutated: mutated(node, `(${value * 3 + 7})`) });
    if (typeof value === 'string' && TEXT.test(value))
      found.push({ value, mutated: mutated(node, JSON.stringify(mutatedText(value))) });
  }
  return found;
}

/** Another value of the same type. */
export function mutatedValue(value: Json): Json {
  if (typeof value === 'string') return mutatedText(value);
  if (typeof value === 'number') return value * 3 + 7;
  if (typeof value === 'boolean') return !value;
  return Array.isArray(value) ? [...value.slice(1), ...value.slice(0, 1).map(mutatedValue)] : null;
}

function mutatedText(text: string): string {
  return `~${text}`;
}

/** Changes a part of a template, wherever the parser lets it begin and end. */
function insert({ source }: Program, start: number, end: number): string {
  const at = source.slice(start, end).search(TEXT) + start;
  return `${source.slice(0, at)}~${source.slice(at)}`;
}

/**
 * True within `console.log(…)` and `throw new Error(…)`, and for the 50 of `for (…; page < 50; …)`, which ends what never ends.
 * Beside another condition it ends what has an end: `i < all.length && i < 50` leaves items out.
 */
function isInMessage(node: Node, parentOf: (node: Node) => Node | undefined): boolean {
  for (let at = parentOf(node); at; at = parentOf(at)) {
    if (at.type === 'ThrowStatement') return true;
    if (at.type === 'ForStatement') return at.test != null && at.test === parentOf(node);
    if (at.type.endsWith('Statement') || at.type.includes('Function')) return false;
    if (at.type !== 'CallExpression') continue;
    const callee = unwrap(at.callee);
    if (callee.type === 'MemberExpression' && callee.object.type === 'Identifier')
      if (callee.object.name === 'console') return true;
  }
  return false;
}
