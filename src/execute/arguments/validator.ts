import { isDeepStrictEqual } from 'node:util';
import { _, Ajv2020, type FuncKeywordDefinition, type ValidateFunction } from 'ajv/dist/2020.js';
import { sanitiseSchema } from '../../code/index.ts';
import { countValues } from '../../json-size.ts';
import type { Callable } from '../../registry/index.ts';

/** Checks the arguments of one version of a capability, and fills in its defaults. */
export interface Validator {
  /** Checks the whole schema, or only its first level if the arguments are too many for that. Stops at the first problem. */
  for(args: object): ValidateFunction;
  /** Reports every problem. */
  thorough(): ValidateFunction;
}

const MAX_CACHED = 500;
/** For all cached validators together. A compiled schema takes some kilobytes for each of its parts. */
const MAX_CACHED_PARTS = 100_000;
/** Parts of the schema times values of the arguments; each check takes some tens of nanoseconds. */
const MAX_CHECKS = 5_000_000;

interface CachedValidator extends Validator {
  /** How many parts the schema has. */
  parts: number;
}

const cache = new Map<string, CachedValidator>();
let cachedParts = 0;

/** Caches the compiled validator: compiling a schema costs more than running most capabilities. */
export function validatorOf({
  fqdn,
  version,
  parametersSchema,
}: Pick<Callable, 'fqdn' | 'version' | 'parametersSchema'>): Validator {
  const key = `${fqdn}@${version}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const compiled = compile(parametersSchema);
  for (const [oldest, { parts }] of cache) {
    if (cache.size < MAX_CACHED && cachedParts + compiled.parts <= MAX_CACHED_PARTS) break;
    cache.delete(oldest);
    cachedParts -= parts;
  }
  cache.set(key, compiled);
  cachedParts += compiled.parts;
  return compiled;
}

function compile(schema: Callable['parametersSchema']): CachedValidator {
  const sound = sanitiseSchema(schema);
  const parts = countValues(sound, MAX_CHECKS);
  const whole = once(() => ajv(false).compile(sound));
  const firstLevel = once(() => ajv(false).compile(sanitiseSchema(schema, { depth: 1 })));
  return {
    parts,
    for: (args) => (countValues(args, MAX_CHECKS) * parts <= MAX_CHECKS ? whole() : firstLevel()),
    thorough: once(() => ajv(true).compile(sound)),
  };
}

/** Ajv's own comparison calls `valueOf` and `toString` of objects, which in foreign data may be keys like any other. */
const COMPARING_KEYWORDS: readonly FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    validate: (constant: unknown, data: unknown) => isAmong([constant], data),
    error: {
      message: 'must be equal to constant',
      params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
    },
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    validate: isAmong,
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
  },
];

function isAmong(choices: readonly unknown[], data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return choices.includes(data);
  return choices.some((choice) => isDeepStrictEqual(choice, data));
}

/** Skips the check against the meta-schema, which takes 20 ms: `sanitiseSchema` has checked every keyword. */
function ajv(allErrors: boolean): Ajv2020 {
  const made = new Ajv2020({
    ...{ useDefaults: true, allErrors, strict: false, validateFormats: false },
    ...{ validateSchema: false, meta: false, code: { optimize: false } },
  });
  for (const keyword of COMPARING_KEYWORDS) made.removeKeyword(String(keyword.keyword)).addKeyword(keyword);
  return made;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
