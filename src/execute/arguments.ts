import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { PmlError } from '../errors.ts';
import type { Callable } from '../registry/index.ts';
import { tooDeep } from '../sandbox/index.ts';

const KEPT = 500;
const validators = new Map<string, ValidateFunction>();

/** The arguments a capability runs with: what was given over the defaults of its schema, checked against it. */
export function argumentsFor(capability: Callable, given: unknown): Record<string, unknown> {
  if (given !== undefined && !isObject(given)) {
    throw new PmlError('invalid_arguments', `Arguments of "${capability.name}" must be an object.`);
  }
  const merged = copyOf(given ?? {}, capability.name);
  const validate = validatorOf(capability);
  if (validate(merged)) return merged;
  const problems = [...new Set(validate.errors?.map(describe))].join('; ');
  throw new PmlError('invalid_arguments', `Wrong arguments for "${capability.name}": ${problems}.`, {
    hint: `It takes ${JSON.stringify(capability.parametersSchema).slice(0, 1000)}`,
  });
}

function copyOf(given: Record<string, unknown>, name: string): Record<string, unknown> {
  try {
    return structuredClone(given);
  } catch (error) {
    // What came as JSON can be copied, unless V8 has no stack left for so deep a value.
    throw new PmlError('invalid_arguments', tooDeep(`What "${name}" is given`), { cause: error });
  }
}

/** Compiling a schema costs more than running most capabilities. */
function validatorOf({ fqdn, version, parametersSchema }: Callable): ValidateFunction {
  const key = `${fqdn}@${version}`;
  const known = validators.get(key);
  if (known) return known;
  const ajv = new Ajv2020({ useDefaults: true, allErrors: true, strict: false, validateFormats: false });
  const validate = ajv.compile(parametersSchema);
  if (validators.size >= KEPT) validators.delete(validators.keys().next().value as string);
  validators.set(key, validate);
  return validate;
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const at = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'required') return `"${[at, params.missingProperty].filter(Boolean).join('.')}" is missing`;
  if (keyword === 'additionalProperties')
    return `"${params.additionalProperty}" is not one of its parameters`;
  if (keyword === 'enum') return `"${at}" must be one of ${params.allowedValues.map(String).join(', ')}`;
  return `"${at}" ${message}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
