import { generalise } from '../generalise.ts';
import { inferParametersSchema } from '../infer-schema.ts';
import type { JsonSchema } from '../json.ts';
import { hashOf } from '../normal-form.ts';
import type { Parameter } from '../parameter-names.ts';
import { parse } from '../parse.ts';
import { type PassedCall, passedCalls } from '../passed.ts';
import { rewriteReferences } from '../rewrite.ts';

/** What is known of the names in code, by the name as the code spells it. */
export interface KnownReferences {
  /** What the tool or capability takes. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** What the reference is to be written as. */
  readonly renamed: ReadonlyMap<string, string>;
  /** One name for all spellings. */
  readonly canonical: ReadonlyMap<string, string>;
}

export interface LearnOptions extends KnownReferences {
  /** The arguments that the code ran with; what it did without it cannot need. Undefined if it has not run. */
  readonly given: readonly string[] | undefined;
  /** Texts that must not be kept. */
  readonly secrets: readonly string[];
}

/** Code with its data made parameters. */
export interface LearnedCode {
  readonly code: string;
  readonly codeHash: string;
  readonly parameters: readonly Parameter[];
  readonly parametersSchema: JsonSchema;
  readonly calls: readonly PassedCall[];
}

/** Shorter secrets may be words that any code holds. */
const LEAST_SECRET = 12;

export function learn(source: string, options: LearnOptions): LearnedCode | { unsafe: string } {
  const toolSchema = (name: string) => options.schemas.get(name);
  const { code, parameters, unsafe } = generalise(parse(source), { toolSchema });
  if (unsafe !== undefined) return { unsafe };
  if (holdsAny(code + JSON.stringify(parameters), options.secrets))
    return { unsafe: 'It holds a value that the configuration or environment keeps secret' };
  const generalised = parse(code);
  const inferred = inferParametersSchema(generalised, { parameters, toolSchema });
  const parametersSchema =
    options.given === undefined
      ? inferred
      : withoutDemandsBeyond([...options.given, ...parameters.map(({ name }) => name)], inferred);
  const saved = rewriteReferences(generalised, options.renamed);
  return {
    code: saved,
    codeHash: hashOf(saved === code ? generalised : saved, {
      nameOf: (name) => options.canonical.get(name),
    }),
    parameters,
    parametersSchema,
    calls: passedCalls(generalised, parametersSchema),
  };
}

function holdsAny(code: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= LEAST_SECRET && code.includes(secret));
}

/** What the run itself did without, its capability cannot need. */
function withoutDemandsBeyond(
  given: readonly string[],
  { required = [], ...schema }: JsonSchema,
): JsonSchema {
  const names = new Set(given);
  const needed = required.filter((name) => names.has(name));
  return needed.length > 0 ? { ...schema, required: needed } : schema;
}
