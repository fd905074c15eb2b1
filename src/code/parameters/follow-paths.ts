import type MagicString from 'magic-string';
import { isExpressionPosition, type KeyedNode, keyedNodesOf } from '../literals/keyed-nodes.ts';
import { type Node, type Program, stringValue } from '../syntax/ast.ts';
import type { Span } from '../syntax/positions.ts';
import { replaceExpression, templateText } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

/** A literal that a parameter replaced. */
export interface ReplacedLiteral {
  readonly span: Span;
  readonly value: unknown;
  readonly parameter: string;
}

interface PathParameter extends ReplacedLiteral {
  readonly value: string;
}

/** A path in a text. */
interface FoundPath {
  readonly path: PathParameter;
  readonly at: number;
}

/** Shorter texts may stand within others by chance. */
const MIN_LENGTH = 4;
/** Characters around a path that make it another one: `/data/a` is neither in `/data/ab` nor in `/old/data/a`. */
const BEFORE_OTHER = /[\w./\\-]/;
const AFTER_OTHER = /[\w.-]/;

/**
 * Makes texts that hold the path or URL of a parameter follow it: if "/logs" became `args.path`, `"/logs/" + file` becomes
 * `` `${args.path}/` + file ``. Otherwise a call for another folder would list that one, but change files in `/logs`.
 */
export function followPaths(
  program: Program,
  text: MagicString,
  replaced: readonly ReplacedLiteral[],
  isProgram: (node: Node) => boolean,
): void {
  const paths = replaced.filter(isPath);
  if (paths.length === 0) return;
  // Longest first: a text follows its own folder rather than a parent of it.
  paths.sort((a, b) => b.value.length - a.value.length);
  const scopes = scopesOf(program);
  for (const keyed of keyedNodesOf(program)) {
    const { node, parent } = keyed;
    const isText = node.type === 'TemplateLiteral' || stringValue(node) !== undefined;
    // In SQL or a shell command, a path is code: another one would have to be quoted.
    const isFree = isText && isExpressionPosition(node, parent) && !isProgram(node);
    if (isFree && !scopes.isShadowed(node, 'args')) follow(node, text, paths, replaced);
  }
}

function isPath(literal: ReplacedLiteral): literal is PathParameter {
  const { value } = literal;
  return typeof value === 'string' && value.length >= MIN_LENGTH && /[/\\]/.test(value);
}

function follow(
  node: KeyedNode['node'],
  text: MagicString,
  paths: readonly PathParameter[],
  replaced: readonly ReplacedLiteral[],
): void {
  const whole = stringValue(node);
  if (whole !== undefined) {
    const found = findPath(whole, node, paths, { isStart: true, isEnd: true });
    if (found && isAsWritten(node, text, replaced)) replaceExpression(text, node, withPath(whole, found));
    return;
  }
  const { quasis } = node as Extract<Node, { type: 'TemplateLiteral' }>;
  for (const [index, quasi] of quasis.entries()) {
    const { raw, cooked } = quasi.value;
    const ends = { isStart: index === 0, isEnd: index === quasis.length - 1 };
    const found = findPath(raw, node, paths, ends);
    // An escape, or a line end of two characters, would shift places in the source.
    const start = found && raw === cooked ? text.original.indexOf(raw, quasi.start) : -1;
    if (!found || start === -1 || start + raw.length > quasi.end || !isAsWritten(quasi, text, replaced))
      continue;
    const place = start + found.at;
    text.overwrite(place, place + found.path.value.length, `\${args.${found.path.parameter}}`);
  }
}

/** Finds the longest path in a text that is not part of another path. An expression beside the text may continue it. */
function findPath(
  text: string,
  node: Span,
  paths: readonly PathParameter[],
  { isStart, isEnd }: { isStart: boolean; isEnd: boolean },
): FoundPath | undefined {
  for (const { value } of paths) {
    const at = text.indexOf(value);
    if (at === -1) continue;
    const before = text[at - 1];
    const after = text[at + value.length];
    const begins = before === undefined ? isStart : !BEFORE_OTHER.test(before);
    const isFolder = /[/\\]$/.test(value);
    const ends = after === undefined ? isEnd || isFolder : isFolder || !AFTER_OTHER.test(after);
    if (begins && ends) return { path: nearest(value, node, paths), at };
  }
  return undefined;
}

/** Picks, among parameters of equal value, the last before the text: the folder was most likely read there. */
function nearest(value: string, { start }: Span, paths: readonly PathParameter[]): PathParameter {
  const same = paths.filter((path) => path.value === value).sort((a, b) => a.span.start - b.span.start);
  return same.findLast(({ span }) => span.start < start) ?? (same[0] as PathParameter);
}

/** False for text that is a parameter already, or within one, or from which a secret was taken. */
function isAsWritten({ start, end }: Span, text: MagicString, replaced: readonly ReplacedLiteral[]): boolean {
  if (replaced.some(({ span }) => span.start <= start && end <= span.end)) return false;
  return text.slice(start, end) === text.original.slice(start, end);
}

function withPath(text: string, { path: { value, parameter }, at }: FoundPath): string {
  if (text === value) return `args.${parameter}`;
  const [before, after] = [text.slice(0, at), text.slice(at + value.length)];
  return `\`${templateText(before)}\${args.${parameter}}${templateText(after)}\``;
}
