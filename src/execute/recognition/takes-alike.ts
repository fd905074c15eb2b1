import { canonicalJson } from '../../canonical-json.ts';
import { isJsonSchema, type Json, type JsonSchema } from '../../json.ts';
import type { ArgumentSet } from './solve-arguments.ts';

/** Parameters, with the arguments of one run. */
export interface Taken {
  readonly schema: JsonSchema;
  readonly args: ArgumentSet;
}

/**
 * Tells whether calls of the twin may go to the kept one as they are: equal names had equal values in the run that both do,
 * and what is left out has equal defaults.
 */
export function takesAlike(kept: Taken, twin: Taken): boolean {
  const names = new Set([
    ...Object.keys(kept.schema.properties ?? {}),
    ...Object.keys(twin.schema.properties ?? {}),
  ]);
  return [...names].every((name) => {
    const [usual, own] = [defaultOf(kept.schema, name), defaultOf(twin.schema, name)];
    if (!Object.hasOwn(twin.schema.properties ?? {}, name)) return isSame(kept.args[name] ?? usual, usual);
    return isSame(usual, own) && isSame(kept.args[name] ?? usual, twin.args[name] ?? own);
  });
}

function defaultOf({ properties = {} }: JsonSchema, name: string): Json | undefined {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonSchema(schema) ? (schema.default as Json | undefined) : undefined;
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return (
    one === other || (one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other))
  );
}
