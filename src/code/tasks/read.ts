import { findCalls, type McpReference } from '../calls.ts';
import { parse } from '../parse.ts';
import { type FunctionBody, toFunctionBody } from '../strip-types.ts';

/** What must be known of code before it runs. */
export interface ReadCode {
  readonly references: readonly McpReference[];
  readonly body: FunctionBody;
}

export function read(source: string): ReadCode {
  const program = parse(source);
  return { references: findCalls(program), body: toFunctionBody(program) };
}
