import type { ErrorObject } from 'ajv/dist/2020.js';
import { describeSqlPattern, excerptSchema } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject, type JsonSchema } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import type { Principal } from '../../principal.ts';
import { withoutExamples } from '../../registry/index.ts';
import { nestedTooDeep } from '../../sandbox/index.ts';
import { type CalledCode, exampleCall } from './example-call.ts';
import { validatorOf } from './validator.ts';

/** Arguments up to this size get all their problems reported; larger ones the first. */
const MAX_THOROUGH_BYTES = 64 * 1024;
const MAX_PROBLEMS = 10;
const MAX_CHOICES = 20;
const MAX_TEXT_LENGTH = 100;
const MAX_HINT_LENGTH = 1000;

/**
 * Fills in the defaults of a capability's schema, and checks the arguments against it. A refusal shows `who` how to call it;
 * without `who`, it shows no examples.
 */
export function argumentsFor(
  capability: CalledCode,
  given: unknown,
  who?: Principal,
): Record<string, unknown> {
  if (given !== undefined && !isJsonObject(given)) {
    throw new PmlError('invalid_arguments', `Arguments of "${capability.name}" must be an object.`);
  }
  const merged = copyOf(given ?? {}, capability.name);
  const validator = validatorOf(capability);
  const validate = validator.for(merged);
  if (validate(merged)) return merged;
  let errors = validate.errors ?? [];
  if (jsonFits(given, MAX_THOROUGH_BYTES)) {
    const thorough = validator.thorough();
    if (!thorough(structuredClone(given ?? {}))) errors = thorough.errors ?? errors;
  }
  throw new PmlError(
    'invalid_arguments',
    `Wrong arguments for "${capability.name}": ${listProblems(errors)}.`,
    {
      hint: errors.some(isMissingArgument)
        ? exampleCall(who, capability, given ?? {})
        : `It takes ${excerptText(withoutExamples(capability.parametersSchema))}`,
    },
  );
}

function isMissingArgument({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'required' && instancePath === '';
}

function copyOf(given: Record<string, unknown>, name: string): Record<string, unknown> {
  try {
    return structuredClone(given);
  } catch (error) {
    // Arguments came as JSON, so copying fails only on a value too deep for V8's stack.
    throw new PmlError('invalid_arguments', nestedTooDeep(`An argument of "${name}"`), { cause: error });
  }
}

function excerptText(schema: JsonSchema): string {
  const shown = jsonFits(schema, MAX_THOROUGH_BYTES) ? schema : excerptSchema(schema, schema);
  return JSON.stringify(shown).slice(0, MAX_HINT_LENGTH);
}

function listProblems(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(describe))];
  return firstOf(problems, MAX_PROBLEMS).join('; ');
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const at = brief(instancePath.slice(1).replaceAll('/', '.'));
  if (keyword === 'required')
    return `"${brief([at, params.missingProperty].filter(Boolean).join('.'))}" is missing`;
  if (keyword === 'additionalProperties')
    return `"${brief(params.additionalProperty)}" is not one of its parameters`;
  if (keyword === 'enum') return `"${at}" must be one of ${listChoices(params.allowedValues)}`;
  const pattern = keyword === 'pattern' ? describeSqlPattern(params.pattern) : undefined;
  return `"${at}" ${pattern ?? message}`;
}

function listChoices(values: readonly unknown[]): string {
  return firstOf(values, MAX_CHOICES)
    .map((value) => brief(textOf(value)))
    .join(', ');
}

/** Keeps the first values, and adds how many more there are. */
function firstOf(values: readonly unknown[], max: number): unknown[] {
  const more = values.length > max ? [`and ${values.length - max} more`] : [];
  return [...values.slice(0, max), ...more];
}

/** An object from outside may have a `toString` that is no function. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function brief(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}
