import { findReferences, type McpReference, referenceNodesOf } from '../references/find-references.ts';
import { unboundUse } from '../references/unbound-names.ts';
import { originAt, originOfResult, type ValueOrigin } from '../references/value-origin.ts';
import { type LiteralCall, literalCalls } from '../schema/argument-schemas.ts';
import type { Program } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import type { Position } from '../syntax/positions.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type FunctionBody, toFunctionBody } from '../syntax/strip-types.ts';
import { originalPositions, type SentCode } from './accept.ts';

/** The references to resolve before code runs, and the JavaScript to run. */
export interface PreparedCode {
  readonly references: readonly McpReference[];
  /** The calls whose arguments can be checked before the run. */
  readonly calls: readonly LiteralCall[];
  readonly body: RunnableCode;
}

/** JavaScript to run. */
export interface RunnableCode extends FunctionBody {
  /** True if it may ask which servers and tools there are, as `Object.keys(mcp)` does. */
  readonly listsTools: boolean;
}

/** Prepares code for a run. `sent` is the code as it was sent; positions refer to it. */
export function prepareRun(source: string, sent?: SentCode): PreparedCode {
  const program = parse(source);
  const positionOf =
    sent && sent.source !== source ? originalPositions(sent) : (position: Position) => position;
  const placed = <T extends { position: Position }>(one: T) => ({
    ...one,
    position: positionOf(one.position),
  });
  return {
    references: findReferences(program).map(placed),
    calls: literalCalls(program).map(placed),
    body: runnable(program),
  };
}

/** Makes the JavaScript of stored code, whose references were resolved when it was stored. */
export function functionBody(source: string): RunnableCode {
  return runnable(parse(source));
}

function runnable(program: Program): RunnableCode {
  const usesWhole = referenceNodesOf(program).some(({ isStatic }) => !isStatic);
  return {
    ...toFunctionBody(program),
    listsTools: usesWhole || scopesOf(program).globals.has('globalThis'),
  };
}

/** Finds the call whose result the code reads at a place, or returns if there is no place. */
export function valueOrigin(source: string, position?: Position): ValueOrigin | undefined {
  const program = parse(source);
  return position ? originAt(program, position) : originOfResult(program);
}

/** Finds where code uses a name that it does not declare, in the statement at a place or after it. */
export function undeclaredUse(source: string, name: string, statement: Position): Position {
  return unboundUse(parse(source), name, statement);
}

/** Lists the names of the references as the code spells them, each once. */
export function referencedNames(source: string): string[] {
  return [...new Set(findReferences(parse(source)).flatMap(({ name }) => name ?? []))];
}
