import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Problem } from '../../config/index.ts';
import { closest } from '../../edit-distance.ts';
import { messageOf } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';

const compiled = new WeakMap<object, ValidateFunction | string>();

/** Checks a capability's own config against its schema, fills in defaults, and returns what is wrong with it. */
export function schemaProblems(schema: JsonObject, config: JsonObject): Problem[] {
  const validate = validatorOf(schema);
  if (typeof validate === 'string') return [{ path: [], text: `has a broken configSchema: ${validate}` }];
  return validate(config) ? [] : (validate.errors ?? []).map((error) => describe(error, schema, config));
}

/** Compiles a schema once. Returns what is wrong with a schema that cannot be compiled. */
function validatorOf(schema: JsonObject): ValidateFunction | string {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  let made: ValidateFunction | string;
  try {
    // Without the check against the meta-schema, which takes 20 ms: compiling notices a broken schema, too.
    const ajv = new Ajv2020({
      ...{ useDefaults: true, allErrors: true, strict: false, validateFormats: false },
      ...{ validateSchema: false, meta: false, code: { optimize: false } },
    });
    made = ajv.compile(schema);
    // An asynchronous schema would answer a promise, which counts as valid.
    if ('$async' in made) made = '$async is not supported';
  } catch (error) {
    made = messageOf(error).slice(0, MAX_SHOWN);
  }
  compiled.set(schema, made);
  return made;
}

function describe(error: ErrorObject, schema: JsonObject, config: JsonObject): Problem {
  const path = readPointer(error.instancePath);
  const { missingProperty, additionalProperty, type } = error.params as Record<string, unknown>;
  if (typeof missingProperty === 'string') return { path: [...path, missingProperty], text: 'is missing' };
  if (typeof additionalProperty === 'string') {
    const known = path.length === 0 && isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
    return { path: [...path, additionalProperty], text: unknownKey(additionalProperty, known) };
  }
  const got = showValue(valueAt(config, path));
  if (error.keyword === 'type') return { path, text: `expected ${[type].flat().join(' or ')}, got ${got}` };
  return { path, text: `${error.message ?? 'is not valid'}, got ${got}` };
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = closest(key, [...known, 'tools']);
  if (near !== undefined) return `unknown key; did you mean "${near}"?`;
  return `unknown key; the keys are ${[...known, 'tools'].join(', ')}`;
}

/** Reads a JSON pointer, such as `/dirs/0`. */
function readPointer(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string | number, unknown>)?.[part], root);
}

const MAX_SHOWN = 60;

/** Shows a value of a config briefly. Objects and lists are only named, since they may be long. */
export function showValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  const shown = JSON.stringify(value) ?? String(value);
  return `${typeof value} ${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown}`;
}
