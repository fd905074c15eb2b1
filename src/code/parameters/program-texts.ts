import { isExpressionPosition, keyedNodesOf } from '../literals/keyed-nodes.ts';
import { isWrapper, type Node, type Program, stringValue } from '../syntax/ast.ts';
import type { Span } from '../syntax/positions.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { OpenEnds } from './text-matches.ts';

/** A text of a program that may hold a value of its data. */
export interface ProgramText {
  /** A text literal, or the part of a template between two expressions. */
  readonly node: Node;
  readonly text: string;
  readonly ends: OpenEnds;
  /** False for a pattern, a key, a tagged template, text whose escapes hide where its characters stand, or where `args` means another. */
  readonly isEditable: boolean;
}

/** Lists the texts of a program, in source order, without the names of tools and types. */
export function programTexts(program: Program, isName: (node: Node) => boolean): ProgramText[] {
  const texts: ProgramText[] = [];
  const scopes = scopesOf(program);
  for (const { node, parent } of keyedNodesOf(program)) {
    if (isName(node) || (parent?.type.startsWith('TS') && !isWrapper(parent))) continue;
    const isEditable = isExpressionPosition(node, parent) && !scopes.isShadowed(node, 'args');
    const whole = stringValue(node);
    if (whole !== undefined) texts.push({ node, text: whole, ends: endsOf(node, parent), isEditable });
    else if (node.type === 'TemplateLiteral') texts.push(...quasisOf(node, isEditable, program.source));
    else if (node.type === 'Literal' && 'regex' in node)
      texts.push({ node, text: node.regex.pattern, ends: CLOSED, isEditable: false });
  }
  return texts;
}

const CLOSED: OpenEnds = { start: false, end: false };

/** The ends of a text that the operand beside it continues. */
function endsOf(node: Node, parent: Node | undefined): OpenEnds {
  if (parent?.type !== 'BinaryExpression' || parent.operator !== '+') return CLOSED;
  return { start: parent.right === node, end: parent.left === node };
}

function quasisOf(
  node: Extract<Node, { type: 'TemplateLiteral' }>,
  isEditable: boolean,
  source: string,
): ProgramText[] {
  return node.quasis.map((quasi, index) => {
    const { raw, cooked } = quasi.value;
    const ends = { start: index > 0, end: index < node.quasis.length - 1 };
    // An escape, or a line end of two characters, would shift places in the source.
    const isPlain = raw === cooked && quasiStart(source, quasi, raw) !== undefined;
    return { node: quasi, text: cooked ?? raw, ends, isEditable: isEditable && isPlain };
  });
}

/** Where the text of a template's part begins: the parser's span may begin at the mark before it. */
export function quasiStart(source: string, { start, end }: Span, text: string): number | undefined {
  const at = source.indexOf(text, start);
  return at === -1 || at + text.length > end ? undefined : at;
}
