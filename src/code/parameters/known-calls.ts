import type { JsonSchema, ToolSchema } from '../../json.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { foldName } from '../references/suggest-names.ts';
import { type Step, schemaAt } from '../schema/tool-schema.ts';
import type { CallNode, Program } from '../syntax/ast.ts';
import type { ToolParameter } from './parameter-verdicts.ts';

export interface KnownTools {
  readonly toolSchema: ToolSchema;
  /** The canonical name of a tool; undefined if it is not known. */
  readonly nameOf?: ((name: string) => string | undefined) | undefined;
}

/** A call with what is known of its callee. */
export interface KnownCall {
  readonly call: CallNode;
  /** As the code spells it; undefined if it is computed. */
  readonly name: string | undefined;
  readonly schema: JsonSchema | undefined;
  /** The canonical name; the folded spelling if that is not known; empty if the name is computed. */
  readonly tool: string;
  /** True if `tool` is the canonical name. */
  readonly isResolved: boolean;
}

/** Lists the calls of tools and capabilities, in source order. */
export function knownCallsOf(program: Program, { toolSchema, nameOf }: KnownTools): KnownCall[] {
  return referenceNodesOf(program).flatMap(({ call, name }) => {
    if (!call) return [];
    if (name === undefined) return { call, name, schema: undefined, tool: '', isResolved: false };
    const canonical = nameOf?.(name);
    const tool = canonical ?? foldName(name);
    return { call, name, schema: toolSchema(name), tool, isResolved: canonical !== undefined };
  });
}

/** The parameter at a path of the callee's argument, with its schema. */
export function parameterAt(
  { schema: root, tool, isResolved }: KnownCall,
  path: readonly Step[],
): ToolParameter & { schema: JsonSchema | undefined } {
  const schema = schemaAt(root, path);
  const isDeclared = isResolved && (schema !== undefined || (path.length === 1 && isOpen(root)));
  return { tool, path, isDeclared, schema };
}

/** True for a tool that takes an object and says nothing of its properties. */
function isOpen(root: JsonSchema | undefined): boolean {
  return root !== undefined && root.properties === undefined && !root.$ref && !root.anyOf && !root.oneOf;
}
