import type { JsonSchema } from '../../json.ts';
import { hasIssuedSecret } from '../../secrets/index.ts';
import { classifyLiteral } from '../literals/classify-literal.ts';
import { generalise } from '../parameters/generalise.ts';
import { findReferences } from '../references/find-references.ts';
import { parse } from '../syntax/parse.ts';

/** The facts to check before foreign code is stored. */
export interface ExaminedCode {
  /** The names of its references as the code spells them, each once. */
  readonly names: readonly string[];
  /** True if the code, or a default of its parameters, looks like a secret. */
  readonly holdsSecret: boolean;
}

export function examine(source: string, parametersSchema: JsonSchema): ExaminedCode {
  const program = parse(source);
  const names = new Set(findReferences(program).flatMap(({ name }) => name ?? []));
  const { parameters, unsafe } = generalise(program, { toolSchema: () => undefined });
  const codeHolds =
    unsafe !== undefined || parameters.some(({ secret }) => secret) || hasIssuedSecret(source);
  return { names: [...names], holdsSecret: codeHolds || hasSecretDefault(parametersSchema) };
}

function hasSecretDefault(schema: JsonSchema): boolean {
  if (hasIssuedSecret(JSON.stringify(schema))) return true;
  return Object.entries(schema.properties ?? {}).some(([key, property]) => {
    const value = typeof property === 'object' ? property.default : undefined;
    return typeof value === 'string' && classifyLiteral({ key, value }).kind === 'secret';
  });
}
