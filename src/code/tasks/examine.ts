import type { JsonSchema } from '../../json.ts';
import { hasIssuedSecret } from '../../secrets/index.ts';
import { judge } from '../literals/classify-literal.ts';
import { generalise } from '../parameters/generalise.ts';
import { findReferences } from '../references/find-references.ts';
import { parse } from '../syntax/parse.ts';

/** What must be known of code that somebody sent to be kept. */
export interface ExaminedCode {
  /** As the code spells them, each once. */
  readonly names: readonly string[];
  /** Whether the code, or a default of what it takes, looks like a secret. */
  readonly holdsSecret: boolean;
}

export function examine(source: string, parametersSchema: JsonSchema): ExaminedCode {
  const program = parse(source);
  const names = new Set(findReferences(program).flatMap(({ name }) => name ?? []));
  const { parameters, unsafe } = generalise(program, { toolSchema: () => undefined });
  const isOpen = unsafe === undefined && !parameters.some(({ secret }) => secret) && !hasIssuedSecret(source);
  return { names: [...names], holdsSecret: !isOpen || hasSecretDefault(parametersSchema) };
}

function hasSecretDefault(schema: JsonSchema): boolean {
  if (hasIssuedSecret(JSON.stringify(schema))) return true;
  return Object.entries(schema.properties ?? {}).some(([key, property]) => {
    const value = typeof property === 'object' ? property.default : undefined;
    return typeof value === 'string' && judge({ key, value }).verdict === 'secret';
  });
}
