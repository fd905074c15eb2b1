import type { ToolSchema } from '../../json.ts';
import { isReadOnlyTool } from '../schema/read-only-tool.ts';

/** The facts about the tools and capabilities that a program calls, each by the name as the code spells it. */
export interface Callees {
  readonly toolSchema: ToolSchema;
  /** `server:tool`; undefined for a capability, since not everyone who may see the program may see its name. */
  readonly toolName?: ((spelling: string) => string | undefined) | undefined;
  readonly isReadOnly?: ((spelling: string) => boolean | undefined) | undefined;
}

/** The callee's name, if it may be shown. */
export function toolNameOf({ toolName }: Callees, spelling: string | undefined): string | undefined {
  if (spelling === undefined) return undefined;
  return toolName ? toolName(spelling) : spelling;
}

export function isReadOnlyCallee({ toolSchema, isReadOnly }: Callees, spelling: string | undefined): boolean {
  if (spelling === undefined) return false;
  return isReadOnly?.(spelling) ?? isReadOnlyTool({ name: spelling, inputSchema: toolSchema(spelling) });
}
