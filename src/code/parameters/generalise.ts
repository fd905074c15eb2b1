import MagicString from 'magic-string';
import type { Json } from '../../json.ts';
import { findSecrets } from '../../secrets/index.ts';
import { argumentUsesOf } from '../references/argument-uses.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { type Node, type Program, stringValue } from '../syntax/ast.ts';
import { contains } from '../syntax/positions.ts';
import { replaceExpression } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { keysAround } from './call-places.ts';
import type { Callees } from './callees.ts';
import { blankSecretComments, extractSecrets, NO_RUN, type SecretsOfRun } from './extract-secrets.ts';
import { decideGroups, writeParts } from './follow-values.ts';
import { groupLiterals, type LiteralGroup } from './literal-groups.ts';
import { type Survey, surveyLiterals } from './literal-survey.ts';
import { isFunction } from './local-functions.ts';
import type { NamedPlace } from './name-by-role.ts';
import { MAX_PARAMETERS, type Parameter, ParameterNames } from './parameter-names.ts';
import { type KnownVerdicts, type ParameterVerdict, ParameterVerdicts } from './parameter-verdicts.ts';
import { type ProgramText, programTexts } from './program-texts.ts';
import { fitsSql, sqlSchemaOf } from './sql-schemas.ts';
import { splitAtConstants, writeSqlConstants } from './write-sql.ts';

export interface Generalised {
  /** The program with `args.x` in place of each literal that became a parameter. */
  readonly code: string;
  /** In source order; secrets follow. */
  readonly parameters: readonly Parameter[];
  /** The texts that became secret parameters. */
  readonly secretTexts: readonly string[];
  /** The values of the secret parameters, for a replay alone: they must never be stored. */
  readonly secretValues: Readonly<Record<string, string | number>>;
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
  /** Leaves all data in the code; secrets become parameters all the same. */
  readonly isPlain?: boolean | undefined;
  /** The values that earlier calls returned: what they contain is not the program's own. */
  readonly returned?: ReadonlySet<Json> | undefined;
}

/**
 * Turns the data of a program into parameters by replacing the literals themselves, so that all that uses them follows: guards,
 * messages, keys, loops. The law: with the value v for a parameter the program does what the original does with v written in
 * place of that literal and of those that go with it. Code that uses `args` has chosen its parameters; only its secrets are replaced.
 */
export function generalise(program: Program, options: GeneraliseOptions): Generalised {
  const { ofRun = NO_RUN } = options;
  const verdicts = new ParameterVerdicts(options.verdicts);
  const survey = surveyLiterals(program, options, { verdicts, ofRun });
  const text = new MagicString(program.source);
  blankSecretComments(program, text, ofRun);
  const { uses } = argumentUsesOf(program);
  const hasOwnArguments = scopesOf(program).globals.has('args');
  const { lifted, parts } =
    hasOwnArguments || options.isPlain
      ? { lifted: [], parts: [] }
      : decideGroups(
          groupLiterals(survey).filter((group) => fitsSql(group, survey.sql.pasted)),
          splitAtConstants(textsOf(program, options.returned), survey.sql.constants),
          {
            isFixed: fixedTexts(survey, ofRun),
            isPassed: ({ node }) => survey.scalars.some((one) => one.node === node && one.places.length > 0),
          },
        );
  const kept = lifted.slice(0, MAX_PARAMETERS);
  const names = new ParameterNames(
    uses.map(({ name }) => name),
    placesOf(program, kept, survey),
  );
  const nameOf = new Map<LiteralGroup, string>();
  for (const group of kept) {
    const name = names.lift(leadOf(group), group.value, group.isRequired)?.name;
    if (name !== undefined) nameOf.set(group, name);
  }
  for (const [group, name] of nameOf) replaceGroup(program, text, group, name);
  writeSqlConstants(text, nameOf);
  const secrets = extractSecrets(program, text, names, survey.classified, ofRun);
  writeParts(text, parts, (group) => nameOf.get(group));
  return {
    code: text.toString(),
    parameters: withSqlSchemas(names.all(), nameOf, survey),
    secretTexts: secrets.lifted,
    secretValues: secrets.values,
    unsafe: secrets.unsafe,
    verdicts: verdicts.found(),
  };
}

/** Holds the parameters that stand in SQL to values that cannot change what it does. */
function withSqlSchemas(
  parameters: readonly Parameter[],
  nameOf: ReadonlyMap<LiteralGroup, string>,
  { sql }: Survey,
): Parameter[] {
  const schemas = new Map([...nameOf].map(([group, name]) => [name, sqlSchemaOf(group, sql.pasted)]));
  return parameters.map((one) => {
    const schema = schemas.get(one.name);
    return schema ? { ...one, schema } : one;
  });
}

/** The texts of a program without the names of tools, as in `mcp["fs:read"]`, and without those that calls returned. */
function textsOf(program: Program, returned: ReadonlySet<Json> = new Set()): ProgramText[] {
  const references = referenceNodesOf(program).map(({ node }) => node);
  const texts = programTexts(program, (node) => references.some((reference) => contains(reference, node)));
  return texts.filter(({ node }) => !returned.has(stringValue(node) ?? null));
}

/** Tells the texts that no value may be written into: programs, where it would have to be quoted, and those with secrets. */
function fixedTexts(
  { scalars, sql: { programs } }: Survey,
  { matcher }: SecretsOfRun,
): (text: ProgramText) => boolean {
  const fixed = new Set<Node>();
  for (const { node, classified } of scalars) if (classified.kind !== 'data') fixed.add(node);
  return ({ node, text }) =>
    fixed.has(node) ||
    programs.some((program) => contains(program, node)) ||
    matcher.in(text) !== undefined ||
    findSecrets(text).length > 0;
}

/** The literal of a group that its parameter is named by. */
export function leadOf({ occurrences }: LiteralGroup): Node {
  const lead = occurrences.find(({ places }) => places.length > 0) ?? occurrences[0];
  return (lead as Survey['scalars'][number]).node;
}

/** Lists the places to name: those of the data that is lifted, and those of secrets, which are always extracted. */
export function placesOf(
  program: Program,
  lifted: readonly LiteralGroup[],
  { scalars }: Survey,
): ReadonlyMap<Node, NamedPlace> {
  const places = new Map<Node, NamedPlace>();
  for (const group of lifted) places.set(leadOf(group), namedPlace(program, group));
  const named = new Set<unknown>();
  for (const { node, value, classified, places: passed } of scalars) {
    const [place] = passed;
    // A text with a secret in it keeps the rest of the text; the secret parts are named as they are found.
    if (!place || classified.kind !== 'secret' || classified.rule === 'secret by shape' || named.has(value))
      continue;
    named.add(value);
    const { shownName: tool, isReadOnly } = place.callee;
    places.set(node, { key: classified.key ?? 'secret', within: keysAround(place), tool, isReadOnly });
  }
  return places;
}

function namedPlace(program: Program, { occurrences, key, value }: LiteralGroup): NamedPlace {
  const place = occurrences.flatMap(({ places }) => places)[0];
  return {
    key,
    within: place ? keysAround(place) : [],
    tool: place?.callee.shownName,
    isReadOnly: place?.callee.isReadOnly ?? true,
    result: place && resultName(program, place.callee.call),
    value: typeof value === 'string' ? value : undefined,
  };
}

/** The local name that gets the result of a call: `users` in `const users = await mcp.files.read(…)`. */
function resultName(program: Program, call: Node): string | undefined {
  const { parentOf } = scopesOf(program);
  let at = parentOf.get(call);
  while (at && (at.type === 'AwaitExpression' || at.type === 'MemberExpression')) at = parentOf.get(at);
  return at?.type === 'VariableDeclarator' && at.id.type === 'Identifier' ? at.id.name : undefined;
}

export function replaceGroup(
  program: Program,
  text: MagicString,
  { occurrences, value }: LiteralGroup,
  name: string,
): void {
  for (const { node, sql } of occurrences) {
    if (sql) continue;
    const isShared = Array.isArray(value) && (occurrences.length > 1 || isRepeated(program, node));
    replaceExpression(text, node, isShared ? `structuredClone(args.${name})` : `args.${name}`);
  }
}

/** True if code may run more than once: a list written there is a new one each time. */
function isRepeated(program: Program, node: Node): boolean {
  const { parentOf } = scopesOf(program);
  for (let at = parentOf.get(node); at; at = parentOf.get(at)) {
    if (isFunction(at) || LOOPS.has(at.type)) return true;
  }
  return false;
}

const LOOPS = new Set<Node['type']>([
  'WhileStatement',
  'DoWhileStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
]);
