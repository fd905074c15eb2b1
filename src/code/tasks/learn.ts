import type { Json, JsonSchema } from '../../json.ts';
import { type KnownSecrets, Redactor } from '../../secrets/index.ts';
import { hashOf } from '../identity/normal-form.ts';
import type { Link } from '../links/find-links.ts';
import type { Callees } from '../parameters/callees.ts';
import { inferParametersSchema } from '../parameters/infer-parameters.ts';
import type { Parameter } from '../parameters/parameter-names.ts';
import type { KnownVerdicts, ParameterVerdict } from '../parameters/parameter-verdicts.ts';
import { describeFixedSecret } from '../parameters/secret-origins.ts';
import { namesAllCallees } from '../references/named-callees.ts';
import { READS_KEPT_RESULT, readsKeptResult } from '../references/reads-kept-result.ts';
import { rewriteReferences } from '../references/rewrite-references.ts';
import { type CallWithArguments, callsWithArguments } from '../schema/argument-schemas.ts';
import { parse } from '../syntax/parse.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { generaliseRun } from './generalise-run.ts';

/** The callees of code as the caller knows them, by the name as the code spells it. */
export interface KnownReferences {
  /** The input schema of the tool or capability. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** True for callees that change nothing. Those missing here are judged by their name and schema. */
  readonly readOnly?: ReadonlyMap<string, boolean>;
  /** The name to write instead. */
  readonly renamed: ReadonlyMap<string, string>;
  /** The one name that all spellings share, for the hash. */
  readonly canonical: ReadonlyMap<string, string>;
}

export interface LearnOptions extends KnownReferences {
  /** The arguments that the code ran with; others cannot be required. Undefined if it has not run. */
  readonly given: Readonly<Record<string, Json>> | undefined;
  /** Values that must not be stored. */
  readonly secrets: KnownSecrets;
  /** The verdicts of earlier runs on the parameters of tools. */
  readonly verdicts?: KnownVerdicts;
  /** Leaves all data in the code, except secrets. */
  readonly isPlain?: boolean | undefined;
  /** The links between the calls of the run, which made those of `linkableCalls`. */
  readonly links?: readonly Link[] | undefined;
}

/** Code whose data has become parameters. */
export interface LearnedCode {
  readonly code: string;
  readonly codeHash: string;
  readonly parameters: readonly Parameter[];
  /** The texts that became secret parameters. */
  readonly secretTexts: readonly string[];
  /** The values of the secret and linked parameters, for a replay alone: they must never be stored. */
  readonly hiddenValues: Readonly<Record<string, Json>>;
  readonly parametersSchema: JsonSchema;
  readonly calls: readonly CallWithArguments[];
  /** The parameters of tools that were judged here for the first time. */
  readonly verdicts: readonly ParameterVerdict[];
  /** True if the code calls only what it names. */
  readonly namesCallees: boolean;
  /** True if all parameters but secrets were literals: the code chose none itself. */
  readonly isLifted: boolean;
  /** The calls, in order, of a program in which links may be found; empty for all others. */
  readonly linkableCalls: readonly string[];
}

/** Shorter secrets may be words that any code holds. */
const MIN_SECRET = 12;
/** Shorter secrets of a run are not searched for in the finished code: they may be there by chance. */
const MIN_LEFT = 6;

/** Generalises code for storage: data becomes parameters, references get stable names. */
export function learn(source: string, options: LearnOptions): LearnedCode | { unsafe: string } {
  const callees = calleesOf(options);
  const nameOf = (name: string) => options.canonical.get(name);
  const redactor = Redactor.of(options.secrets);
  const program = parse(source);
  if (readsKeptResult(program)) return { unsafe: READS_KEPT_RESULT };
  const found = generaliseRun(program, {
    ...callees,
    nameOf,
    verdicts: options.verdicts,
    ofRun: redactor.runSecrets,
    isPlain: options.isPlain,
    links: options.links,
  });
  if (found.unsafe !== undefined) return { unsafe: found.unsafe };
  const { program: generalised, parameters, hiddenValues } = found;
  const leak = leakIn(generalised.source + JSON.stringify(parameters), redactor);
  if (leak !== undefined) return { unsafe: leak };
  const inferred = inferParametersSchema(generalised, {
    parameters,
    linked: hiddenValues,
    given: options.given,
    ...callees,
  });
  const schema =
    options.given === undefined
      ? inferred
      : requireOnly([...Object.keys(options.given), ...parameters.map(({ name }) => name)], inferred);
  // A server may quote secrets in the descriptions of its tools.
  const parametersSchema = redactor.schema(schema);
  const saved = rewriteReferences(generalised, options.renamed);
  return {
    code: saved,
    codeHash: hashOf(saved === generalised.source ? generalised : saved, { nameOf }),
    parameters,
    secretTexts: found.secretTexts,
    hiddenValues,
    parametersSchema,
    calls: callsWithArguments(generalised, parametersSchema),
    verdicts: found.verdicts,
    namesCallees: namesAllCallees(generalised),
    isLifted: !options.isPlain && !scopesOf(program).globals.has('args'),
    linkableCalls: found.linkableCalls,
  };
}

/** Not everyone who sees a capability may see those that it calls, so their names are not used. */
export function calleesOf({ schemas, readOnly, renamed, canonical }: KnownReferences): Callees {
  return {
    toolSchema: (name) => schemas.get(name),
    toolName: (name) => (renamed.has(name) ? undefined : (canonical.get(name) ?? name)),
    isReadOnly: (name) => readOnly?.get(name),
  };
}

/** Says which secret a text still holds. */
function leakIn(text: string, redactor: Redactor): string | undefined {
  if (redactor.containsKnownSecret(text, MIN_SECRET))
    return 'It holds a secret of the configuration or environment: read it from args instead';
  const left = redactor.runSecrets.matcher.spansIn(text).find(({ secret }) => secret.text.length >= MIN_LEFT);
  return left && describeFixedSecret(left.secret);
}

/** Drops the other names from `required`: a capability cannot need an argument that its run went without. */
function requireOnly(names: readonly string[], { required = [], ...schema }: JsonSchema): JsonSchema {
  const allowed = new Set(names);
  const needed = required.filter((name) => allowed.has(name));
  return needed.length > 0 ? { ...schema, required: needed } : schema;
}
