import { canonicalJson } from '../../canonical-json.ts';
import type { Json } from '../../json.ts';
import { isExpressionPosition, keyedNodesOf } from '../literals/keyed-nodes.ts';
import { constantOf } from '../syntax/constants.ts';
import { parse } from '../syntax/parse.ts';

const MAX_VALUES = 200;
/** In characters of JSON. */
const MAX_VALUE = 1000;

/** Lists the literals and the lists of literals that stand in code, each once, in the order of the text. */
export function writtenValues(source: string): readonly Json[] {
  const found = new Map<string, Json>();
  for (const { node, parent } of keyedNodesOf(parse(source))) {
    const isList = node.type === 'ArrayExpression';
    if (
      !isList &&
      node.type !== 'Literal' &&
      node.type !== 'TemplateLiteral' &&
      node.type !== 'UnaryExpression'
    )
      continue;
    const value = isExpressionPosition(node, parent) ? constantOf(node) : undefined;
    if (value === undefined || value === null || (isList && node.elements.length === 0)) continue;
    const text = canonicalJson(value);
    if (text.length <= MAX_VALUE && found.size < MAX_VALUES && !found.has(text)) found.set(text, value);
  }
  return [...found.values()];
}
