import type { JsonSchema } from '../../json.ts';
import { type KnownSecrets, Redactor } from '../../secrets/index.ts';
import { hashOf } from '../identity/normal-form.ts';
import { generalise } from '../parameters/generalise.ts';
import { inferParametersSchema } from '../parameters/infer-parameters.ts';
import type { Parameter } from '../parameters/parameter-names.ts';
import { describeFixedSecret } from '../parameters/secret-origins.ts';
import { rewriteReferences } from '../references/rewrite-references.ts';
import { type CallWithArguments, callsWithArguments } from '../schema/argument-schemas.ts';
import { parse } from '../syntax/parse.ts';

/** What the caller knows about the references of code, by the name as the code spells it. */
export interface KnownReferences {
  /** The input schema of the tool or capability. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** The name to write instead. */
  readonly renamed: ReadonlyMap<string, string>;
  /** The one name that all spellings share, for the hash. */
  readonly canonical: ReadonlyMap<string, string>;
}

export interface LearnOptions extends KnownReferences {
  /** The names of the arguments that the code ran with; others cannot be required. Undefined if it has not run. */
  readonly given: readonly string[] | undefined;
  /** Values that must not be stored. */
  readonly secrets: KnownSecrets;
}

/** Code whose data has become parameters. */
export interface LearnedCode {
  readonly code: string;
  readonly codeHash: string;
  readonly parameters: readonly Parameter[];
  /** The texts that became secret parameters. */
  readonly secretTexts: readonly string[];
  readonly parametersSchema: JsonSchema;
  readonly calls: readonly CallWithArguments[];
}

/** Shorter secrets may be words that any code holds. */
const MIN_SECRET = 12;
/** Shorter secrets of a run are compared with literals and names alone. */
const MIN_LEFT = 6;

/** Generalises code for storage: data becomes parameters, references get stable names. */
export function learn(source: string, options: LearnOptions): LearnedCode | { unsafe: string } {
  const toolSchema = (name: string) => options.schemas.get(name);
  const redactor = Redactor.of(options.secrets);
  const { code, parameters, secretTexts, unsafe } = generalise(parse(source), {
    toolSchema,
    ofRun: redactor.runSecrets,
  });
  if (unsafe !== undefined) return { unsafe };
  const leak = leakIn(code + JSON.stringify(parameters), redactor);
  if (leak !== undefined) return { unsafe: leak };
  const generalised = parse(code);
  const inferred = inferParametersSchema(generalised, { parameters, toolSchema });
  const schema =
    options.given === undefined
      ? inferred
      : requireOnly([...options.given, ...parameters.map(({ name }) => name)], inferred);
  // A server may quote secrets in the descriptions of its tools.
  const parametersSchema = redactor.schema(schema);
  const saved = rewriteReferences(generalised, options.renamed);
  return {
    code: saved,
    codeHash: hashOf(saved === code ? generalised : saved, {
      nameOf: (name) => options.canonical.get(name),
    }),
    parameters,
    secretTexts,
    parametersSchema,
    calls: callsWithArguments(generalised, parametersSchema),
  };
}

/** Says which secret a text still holds. */
function leakIn(text: string, redactor: Redactor): string | undefined {
  if (redactor.containsKnownSecret(text, MIN_SECRET))
    return 'It holds a value that the configuration or environment keeps secret: take it from args instead';
  const left = redactor.runSecrets.matcher.spansIn(text).find(({ secret }) => secret.text.length >= MIN_LEFT);
  return left && describeFixedSecret(left.secret);
}

/** Drops the other names from `required`: a capability cannot need an argument that its run went without. */
function requireOnly(names: readonly string[], { required = [], ...schema }: JsonSchema): JsonSchema {
  const allowed = new Set(names);
  const needed = required.filter((name) => allowed.has(name));
  return needed.length > 0 ? { ...schema, required: needed } : schema;
}
