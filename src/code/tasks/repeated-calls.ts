import MagicString from 'magic-string';
import { findReferences } from '../references/find-references.ts';
import { parse } from '../syntax/parse.ts';

/** No tool has this name. */
const NO_TOOL = 'mcp.nobody.calls_this';

/**
 * Lists copies of a program, each with one of several calls of the same tool changed. Unless the copy is seen to do something
 * else, no world has come to that call, and another program may do something else there.
 */
export function repeatedCalls(source: string): string[] {
  const called = findReferences(parse(source)).filter(({ called, name }) => called && name !== undefined);
  const byTool = Map.groupBy(called, ({ name = '' }) => name.toLowerCase().replace(/[_-]/g, ''));
  return [...byTool.values()]
    .filter((sites) => sites.length > 1)
    .flat()
    .map(({ span: { start, end } }) => new MagicString(source).overwrite(start, end, NO_TOOL).toString());
}
