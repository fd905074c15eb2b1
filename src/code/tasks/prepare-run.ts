import { findReferences, type McpReference } from '../references/find-references.ts';
import { parse } from '../syntax/parse.ts';
import { type FunctionBody, toFunctionBody } from '../syntax/strip-types.ts';

/** What must be known of code before it runs. */
export interface ReadCode {
  readonly references: readonly McpReference[];
  readonly body: FunctionBody;
}

export function read(source: string): ReadCode {
  const program = parse(source);
  return { references: findReferences(program), body: toFunctionBody(program) };
}

/** All that a run needs of code whose names were looked at when it was kept. */
export function body(source: string): FunctionBody {
  return toFunctionBody(parse(source));
}

/** The names in code, as it spells them, each once. */
export function names(source: string): string[] {
  return [...new Set(findReferences(parse(source)).flatMap(({ name }) => name ?? []))];
}
