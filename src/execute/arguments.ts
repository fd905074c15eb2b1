import type { ErrorObject } from 'ajv/dist/2020.js';
import { excerptSchema } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import { isJsonObject, type JsonSchema } from '../json.ts';
import { jsonFits } from '../measure.ts';
import type { Callable } from '../registry/index.ts';
import { tooDeep } from '../sandbox/index.ts';
import { validatorOf } from './validator.ts';

/** In bytes. Of larger arguments the first problem is told, not all. */
const LOOKED_THROUGH = 64 * 1024;
const MOST_PROBLEMS = 10;
const MOST_CHOICES = 20;
const LONGEST = 100;
const HINTED = 1000;

/** The arguments a capability runs with: what was given over the defaults of its schema, checked against it. */
export function argumentsFor(capability: Callable, given: unknown): Record<string, unknown> {
  if (given !== undefined && !isJsonObject(given)) {
    throw new PmlError('invalid_arguments', `Arguments of "${capability.name}" must be an object.`);
  }
  const merged = copyOf(given ?? {}, capability.name);
  const validator = validatorOf(capability);
  const validate = validator.for(merged);
  if (validate(merged)) return merged;
  let errors = validate.errors ?? [];
  if (jsonFits(given, LOOKED_THROUGH)) {
    const thorough = validator.thorough();
    if (!thorough(structuredClone(given ?? {}))) errors = thorough.errors ?? errors;
  }
  throw new PmlError(
    'invalid_arguments',
    `Wrong arguments for "${capability.name}": ${problemsOf(errors)}.`,
    {
      hint: `It takes ${beginningOf(capability.parametersSchema)}`,
    },
  );
}

function copyOf(given: Record<string, unknown>, name: string): Record<string, unknown> {
  try {
    return structuredClone(given);
  } catch (error) {
    // What came as JSON can be copied, unless V8 has no stack left for so deep a value.
    throw new PmlError('invalid_arguments', tooDeep(`What "${name}" is given`), { cause: error });
  }
}

function beginningOf(schema: JsonSchema): string {
  const shown = jsonFits(schema, LOOKED_THROUGH) ? schema : excerptSchema(schema, schema);
  return JSON.stringify(shown).slice(0, HINTED);
}

function problemsOf(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(describe))];
  return first(problems, MOST_PROBLEMS).join('; ');
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const at = brief(instancePath.slice(1).replaceAll('/', '.'));
  if (keyword === 'required')
    return `"${brief([at, params.missingProperty].filter(Boolean).join('.'))}" is missing`;
  if (keyword === 'additionalProperties')
    return `"${brief(params.additionalProperty)}" is not one of its parameters`;
  if (keyword === 'enum') return `"${at}" must be one of ${choicesOf(params.allowedValues)}`;
  return `"${at}" ${message}`;
}

function choicesOf(values: readonly unknown[]): string {
  return first(values, MOST_CHOICES)
    .map((value) => brief(textOf(value)))
    .join(', ');
}

/** The first of many, and how many more there are. */
function first(values: readonly unknown[], most: number): unknown[] {
  const more = values.length > most ? [`and ${values.length - most} more`] : [];
  return [...values.slice(0, most), ...more];
}

/** A stranger's object may have a `toString` that is none. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function brief(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
