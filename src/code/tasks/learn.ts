import type { JsonSchema } from '../../json.ts';
import { type KnownSecrets, Redactor } from '../../secrets/index.ts';
import { hashOf } from '../identity/normal-form.ts';
import { generalise } from '../parameters/generalise.ts';
import { inferParametersSchema } from '../parameters/infer-parameters.ts';
import type { Parameter } from '../parameters/parameter-names.ts';
import { rewriteReferences } from '../references/rewrite-references.ts';
import { type CallWithArguments, callsWithArguments } from '../schema/argument-schemas.ts';
import { parse } from '../syntax/parse.ts';

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
  /** What must not be kept. */
  readonly secrets: KnownSecrets;
}

/** Code with its data made parameters. */
export interface LearnedCode {
  readonly code: string;
  readonly codeHash: string;
  readonly parameters: readonly Parameter[];
  readonly parametersSchema: JsonSchema;
  readonly calls: readonly CallWithArguments[];
}

/** Shorter secrets may be words that any code holds. */
const LEAST_SECRET = 12;

export function learn(source: string, options: LearnOptions): LearnedCode | { unsafe: string } {
  const toolSchema = (name: string) => options.schemas.get(name);
  const { code, parameters, unsafe } = generalise(parse(source), { toolSchema });
  if (unsafe !== undefined) return { unsafe };
  const redactor = Redactor.of(options.secrets);
  if (redactor.containsKnownSecret(code + JSON.stringify(parameters), LEAST_SECRET))
    return { unsafe: 'It holds a value that the configuration or environment keeps secret' };
  const generalised = parse(code);
  const inferred = inferParametersSchema(generalised, { parameters, toolSchema });
  const demanded =
    options.given === undefined
      ? inferred
      : withoutDemandsBeyond([...options.given, ...parameters.map(({ name }) => name)], inferred);
  // A server may quote secrets where it describes its tools.
  const parametersSchema = redactor.schema(demanded);
  const saved = rewriteReferences(generalised, options.renamed);
  return {
    code: saved,
    codeHash: hashOf(saved === code ? generalised : saved, {
      nameOf: (name) => options.canonical.get(name),
    }),
    parameters,
    parametersSchema,
    calls: callsWithArguments(generalised, parametersSchema),
  };
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
