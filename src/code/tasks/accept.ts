import type MagicString from 'magic-string';
import { type Functions, rewriteCalls } from '../references/desugar-calls.ts';
import { type UnboundNames, unboundNames } from '../references/unbound-names.ts';
import { parse } from '../syntax/parse.ts';
import type { Position } from '../syntax/positions.ts';
import { returnResult } from '../syntax/return-result.ts';
import { unfence } from '../syntax/unfence.ts';

/** Code in the documented spelling, and the names in it that may be meant as tools. */
export interface RewrittenCode extends UnboundNames {
  readonly code: string;
}

/**
 * Rewrites code as models write it in the spelling that everything else reads: without a fence, with `return` before its
 * result, with `mcp["fs:read"](x)` for `mcp.call("fs:read", x)` and for the functions that `functions` names.
 */
export function accept(source: string, functions: Functions = {}): RewrittenCode {
  const [, calls] = stagesOf(source, functions);
  const code = calls.toString();
  return { code, ...unboundNames(parse(code)) };
}

/** Code as it was sent, and the names that were found for its functions. */
export interface SentCode {
  readonly source: string;
  readonly functions: Functions;
}

/** Maps a position in accepted code to its position in the code as it was sent. */
export function originalPosition(source: string, functions: Functions, position: Position): Position {
  return originalPositions({ source, functions })(position);
}

/** Returns `originalPosition` for many places of one text. */
export function originalPositions({ source, functions }: SentCode): (position: Position) => Position {
  const [result, calls] = stagesOf(source, functions).map(sourcePositions);
  return (position) => (calls && result ? result(calls(position)) : position);
}

function stagesOf(source: string, functions: Functions): [MagicString, MagicString] {
  // Unfenced code has every line and column where they were.
  const result = returnResult(unfence(source));
  return [result, rewriteCalls(result.toString(), functions)];
}

function sourcePositions(text: MagicString): (position: Position) => Position {
  if (!text.hasChanged()) return (position) => position;
  const { mappings } = text.generateDecodedMap({ hires: 'boundary' });
  return ({ line, column }) => {
    const segments = mappings[line - 1] ?? [];
    const at = segments.findLastIndex(([start]) => start < column);
    const [start, , sourceLine, sourceStart] = segments[at] ?? [];
    if (start === undefined || sourceLine === undefined || sourceStart === undefined) return { line, column };
    const next = segments[at + 1]?.[3];
    const end = next === undefined || next <= sourceStart ? Number.POSITIVE_INFINITY : next - 1;
    return { line: sourceLine + 1, column: Math.min(sourceStart + (column - 1 - start), end) + 1 };
  };
}
