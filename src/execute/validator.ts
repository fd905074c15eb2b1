import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { sanitiseSchema } from '../code/index.ts';
import { countValues } from '../measure.ts';
import type { Callable } from '../registry/index.ts';

/** Checks the arguments of one version of a capability, and fills in its defaults. */
export interface Validator {
  /** The check that these arguments can be given: those too many for the whole schema get one of its first level. */
  for(args: object): ValidateFunction;
  /** Tells of all that is wrong, not of the first. */
  thorough(): ValidateFunction;
}

const KEPT = 500;
/** Of all that are kept. A compiled schema takes some kilobytes for each of its parts. */
const KEPT_WEIGHT = 100_000;
/** Parts of the schema times values of the arguments; some tens of nanoseconds each. */
const MOST_CHECKS = 5_000_000;

const validators = new Map<string, Validator & { weight: number }>();
let kept = 0;

/** Compiling a schema costs more than running most capabilities. */
export function validatorOf({ fqdn, version, parametersSchema }: Callable): Validator {
  const key = `${fqdn}@${version}`;
  const known = validators.get(key);
  if (known) return known;
  const made = compile(parametersSchema);
  for (const [oldest, { weight }] of validators) {
    if (validators.size < KEPT && kept + made.weight <= KEPT_WEIGHT) break;
    validators.delete(oldest);
    kept -= weight;
  }
  validators.set(key, made);
  kept += made.weight;
  return made;
}

function compile(schema: Callable['parametersSchema']): Validator & { weight: number } {
  const sound = sanitiseSchema(schema);
  const weight = countValues(sound, MOST_CHECKS);
  const whole = once(() => ajv(false).compile(sound));
  const light = once(() => ajv(false).compile(sanitiseSchema(schema, { depth: 1 })));
  return {
    weight,
    for: (args) => (countValues(args, MOST_CHECKS) * weight <= MOST_CHECKS ? whole() : light()),
    thorough: once(() => ajv(true).compile(sound)),
  };
}

/** Checking a schema against the schema of schemas takes 20 ms; this one has been read word by word. */
function ajv(allErrors: boolean): Ajv2020 {
  return new Ajv2020({
    ...{ useDefaults: true, allErrors, strict: false, validateFormats: false },
    ...{ validateSchema: false, meta: false, code: { optimize: false } },
  });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
