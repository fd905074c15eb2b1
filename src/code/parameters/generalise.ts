import MagicString from 'magic-string';
import { argumentUsesOf } from '../references/argument-uses.ts';
import type { Node, Program } from '../syntax/ast.ts';
import type { Span } from '../syntax/positions.ts';
import { replaceExpression } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { Callees } from './callees.ts';
import {
  blankSecretComments,
  type ClassifiedLiteral,
  extractSecrets,
  NO_RUN,
  type SecretsOfRun,
} from './extract-secrets.ts';
import { followPaths, type ReplacedLiteral } from './follow-paths.ts';
import { type Candidate, LiteralSurvey } from './literal-survey.ts';
import type { NamedPlace } from './name-by-role.ts';
import { namedConstants } from './named-constants.ts';
import { MAX_PARAMETERS, type Parameter, ParameterNames } from './parameter-names.ts';
import { type KnownVerdicts, type ParameterVerdict, ParameterVerdicts } from './parameter-verdicts.ts';

export interface Generalised {
  /** The program with `args.x` in place of each literal that became a parameter. */
  readonly code: string;
  /** In the order of the calls; named constants and secrets follow. */
  readonly parameters: readonly Parameter[];
  /** Every literal passed to a call, every named constant, and how it was classified, for people. */
  readonly literals: readonly LiteralReport[];
  /** The texts that became secret parameters. */
  readonly secretTexts: readonly string[];
  /** Why this code must not be stored: it holds a secret that could not be made a parameter. */
  readonly unsafe: string | undefined;
  /** The parameters of tools that were judged here for the first time. */
  readonly verdicts: readonly ParameterVerdict[];
}

export interface GeneraliseOptions extends Callees {
  /** The canonical name of a callee; undefined if it is not known. */
  readonly nameOf?: ((spelling: string) => string | undefined) | undefined;
  /** The verdicts of earlier runs. */
  readonly verdicts?: KnownVerdicts | undefined;
  /** The secrets that passed through the run of the program. */
  readonly ofRun?: SecretsOfRun | undefined;
}

export interface LiteralReport extends ClassifiedLiteral {
  readonly span: Span;
  /** The parameter that it became. */
  readonly parameter: string | undefined;
}

/**
 * Turns the data in the calls of a program into parameters. A literal becomes a default or an example in the schema, not in
 * the code, so two programs that differ only in data become one text. Each literal has a parameter of its own, also if
 * another one is equal. Run with the literals as arguments, the program does what the original did; without arguments too,
 * if none is required.
 */
export function generalise(program: Program, options: GeneraliseOptions): Generalised {
  const { ofRun = NO_RUN } = options;
  const verdicts = new ParameterVerdicts(options.verdicts);
  const survey = new LiteralSurvey(program, options, { verdicts, ofRun });
  const candidates = [...survey.candidates.values(), ...namedConstants(program, survey)];
  const text = new MagicString(program.source);
  blankSecretComments(program, text, ofRun);
  const { uses, escapes } = argumentUsesOf(program);
  // If the code passes `args` on as a whole, it would pass on the default as well.
  const isLiftable = ({ node, classified }: Candidate) =>
    classified.kind === 'data' && !escapes && !scopesOf(program).isShadowed(node, 'args');
  const lifted = new Set(candidates.filter(isLiftable).slice(0, MAX_PARAMETERS));
  const taken = uses.map(({ name }) => name);
  const names = new ParameterNames(taken, placesOf(candidates, lifted));
  const replaced: ReplacedLiteral[] = [];
  const literals = candidates.map((candidate) => {
    const { node, value, classified, place, isRequired } = candidate;
    const parameter = lifted.has(candidate) ? names.lift(node, value, isRequired)?.name : undefined;
    if (parameter !== undefined) {
      replaceExpression(text, node, `args.${parameter}`);
      replaced.push({ span: node, value, parameter });
    }
    return { span: { start: node.start, end: node.end }, ...classified, key: place.key, parameter };
  });
  const { unsafe, lifted: secretTexts } = extractSecrets(program, text, names, survey.classified, ofRun);
  followPaths(program, text, replaced, (node) => survey.classified.get(node)?.kind === 'program');
  const code = text.toString();
  return { code, parameters: names.all(), literals, secretTexts, unsafe, verdicts: verdicts.found() };
}

/** Lists the places to name: those of the data that is lifted, and those of secrets, which are always extracted. */
function placesOf(
  candidates: readonly Candidate[],
  lifted: ReadonlySet<Candidate>,
): ReadonlyMap<Node, NamedPlace> {
  const places = new Map<Node, NamedPlace>();
  for (const candidate of candidates) {
    const { node, place, classified } = candidate;
    if (lifted.has(candidate)) places.set(node, place);
    // A text with a secret in it keeps the rest of the text; the secret parts are named as they are found.
    else if (classified.kind === 'secret' && classified.rule !== 'secret by shape')
      places.set(node, { ...place, key: classified.key ?? 'secret' });
  }
  return places;
}
