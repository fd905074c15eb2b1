import { findReferences, type McpReference } from '../references/find-references.ts';
import { parse } from '../syntax/parse.ts';
import { type FunctionBody, toFunctionBody } from '../syntax/strip-types.ts';

/** The references to resolve before code runs, and the JavaScript to run. */
export interface PreparedCode {
  readonly references: readonly McpReference[];
  readonly body: FunctionBody;
}

export function prepareRun(source: string): PreparedCode {
  const program = parse(source);
  return { references: findReferences(program), body: toFunctionBody(program) };
}

/** Makes the JavaScript of stored code, whose references were resolved when it was stored. */
export function functionBody(source: string): FunctionBody {
  return toFunctionBody(parse(source));
}

/** Lists the names of the references as the code spells them, each once. */
export function referencedNames(source: string): string[] {
  return [...new Set(findReferences(parse(source)).flatMap(({ name }) => name ?? []))];
}
