import {
  argumentProblems,
  correctArguments,
  describeProblems,
  type LiteralCall,
  type PassedArguments,
  referenceText,
} from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { isJsonSchema, type JsonSchema } from '../../json.ts';
import { withoutExamples } from '../../registry/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import { displayName, type ResolvedName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';

const MAX_MESSAGE = 1000;
const MAX_HINT = 1500;

const NOTHING: PassedArguments = {
  passed: { type: 'object', properties: {}, additionalProperties: false },
  texts: {},
};

/** The mistake in the arguments of a call, and the corrected call. */
export interface WrongArguments {
  readonly message: string;
  /** The call as code; undefined if some given value fits no parameter. */
  readonly corrected: string | undefined;
}

/** Refuses code whose literal arguments the callee certainly rejects. */
export function assertArguments(
  run: Pick<Run, 'who' | 'redactor'>,
  calls: readonly LiteralCall[],
  resolved: ReadonlyMap<string, ResolvedName>,
): void {
  for (const call of calls) {
    const callee = resolved.get(call.name);
    const wrong = callee && wrongArguments(run, callee, call);
    if (!wrong) continue;
    const { line, column } = call.position;
    throw new PmlError('invalid_arguments', `${wrong.message} (line ${line}, column ${column})`, {
      hint: [...adviceOf(wrong), 'Nothing has run.'].join(' '),
    });
  }
}

/** Says to write the corrected call, if there is one. */
export function adviceOf({ corrected }: WrongArguments): string[] {
  return corrected === undefined ? [] : [`Write \`await ${corrected}\`.`];
}

/** Says what is wrong with arguments; undefined if they may be right. */
export function wrongArguments(
  { who, redactor }: Pick<Run, 'who' | 'redactor'>,
  callee: ResolvedName,
  given: PassedArguments,
): WrongArguments | undefined {
  const schema = schemaOf(callee, who.user);
  const problems = schema ? argumentProblems(schema, given.passed) : [];
  if (!schema || (problems.length === 0 && given.positional === undefined)) return undefined;
  const tool = callee.kind === 'tool' ? callee.entry.own : callee.capability.name;
  const args = correctArguments(schema, problems, given);
  return {
    message: redactor.text(describeProblems(tool, schema, problems, given), MAX_MESSAGE),
    corrected: args === undefined ? undefined : callWith(redactor, callee, args),
  };
}

/** Writes a valid call of the callee; keeps the given arguments if they all fit. */
export function correctedCall(
  { who, redactor }: Pick<Run, 'who' | 'redactor'>,
  callee: ResolvedName,
  given: PassedArguments = NOTHING,
): string {
  const schema = schemaOf(callee, who.user) ?? {};
  const args = correctArguments(schema, argumentProblems(schema, given.passed), given);
  return callWith(redactor, callee, args ?? '{ … }');
}

function callWith(redactor: Redactor, callee: ResolvedName, args: string): string {
  return redactor.text(`${referenceText(displayName(callee))}(${args})`, MAX_HINT);
}

/** The schema to show a user. Only a capability's creator sees its examples. */
export function schemaOf(callee: ResolvedName, user: string): JsonSchema | undefined {
  if (callee.kind === 'capability') {
    const { parametersSchema, createdBy } = callee.capability;
    return createdBy === user ? parametersSchema : withoutExamples(parametersSchema);
  }
  const { inputSchema } = callee.entry.listed;
  return isJsonSchema(inputSchema) ? inputSchema : undefined;
}
