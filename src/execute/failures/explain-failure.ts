import { inferOutput, printType, referenceText, runCodeTask, suggestNames } from '../../code/index.ts';
import { messageOf } from '../../errors.ts';
import { isJsonObject, type Json, type JsonSchema } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import { insteadOfGlobal } from '../arguments/example-tool.ts';
import { adviceOf, schemaOf, wrongArguments } from '../arguments/wrong-arguments.ts';
import type { CallTrace, TracedCall } from '../run/call-trace.ts';
import { candidateNames, canonicalName, displayName, resolveName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';
import { correctedReads } from './corrected-reads.ts';
import type { FailedRun } from './failed-run.ts';

const MAX_GIVEN = 16 * 1024;
const MAX_TEXT = 80;
const MAX_SHAPE = 300;
const MAX_SHAPES = 3;

/** The messages with which servers refuse arguments. */
const REFUSES_ARGUMENTS =
  /invalid (?:arguments?|params|input)|validation|-32602|required|unexpected keyword/i;

/** Returns undefined if the explanation fails, for example while the database is away: the outcome must still be reported. */
export async function ifPossible<T>(
  { log }: Pick<Run, 'log'>,
  explaining: Promise<T | undefined>,
): Promise<T | undefined> {
  try {
    return await explaining;
  } catch (error) {
    log.debug(`cannot explain how a run ended: ${messageOf(error)}`);
    return undefined;
  }
}

/** Says what a tool takes, if a call of it may have failed because of its arguments. */
export function explainArguments(
  run: Run,
  { callee, given, error }: TracedCall,
  showsArguments: boolean,
): string | undefined {
  if (callee.kind === 'capability') return undefined;
  const wrong = wrongArguments(run, callee, passedOf(given, run, showsArguments));
  if (wrong) return [`${wrong.message}.`, ...(showsArguments ? adviceOf(wrong) : [])].join(' ');
  const schema = schemaOf(callee, run.who.user);
  if (!schema || !REFUSES_ARGUMENTS.test(messageOf(error).slice(0, 1000))) return undefined;
  return `${callee.entry.own} takes ${printType(schema)}.`;
}

/** Describes the arguments of a call that was made as if they had been written out in the code. */
function passedOf(given: unknown, { redactor }: Run, showsArguments: boolean) {
  if (given !== undefined && !isJsonObject(given)) {
    const positional = jsonFits(given, MAX_TEXT) && showsArguments ? JSON.stringify(given) : 'something else';
    return { passed: {}, texts: undefined, positional: [positional] };
  }
  const isSmall = jsonFits(given, MAX_GIVEN);
  const shown = isSmall && showsArguments ? redactor.json(given ?? {}) : {};
  const entries = Object.entries(isSmall ? (given ?? {}) : {});
  const properties = Object.fromEntries(entries.map(([key, value]) => [key, { const: value as Json }]));
  const passed: JsonSchema = { type: 'object', properties, ...(isSmall && { additionalProperties: false }) };
  const texts = Object.fromEntries(
    entries.map(([key]) => [key, jsonFits(shown[key], MAX_TEXT) ? JSON.stringify(shown[key]) : '…']),
  );
  return { passed, texts };
}

/** The errors of reading a value as something that it is not. */
const MISREAD =
  /^(?:TypeError: (?:Cannot (?:read|destructure|convert)|.{1,200} is not (?:a function|iterable))|SyntaxError: .{0,200}JSON)/;

const UNDEFINED_NAME = /^ReferenceError: ([\w$]{1,200}) is not defined/;

/** The undefined name that made a run fail. */
export function undefinedName({ message }: FailedRun['outcome']): string | undefined {
  return UNDEFINED_NAME.exec(message)?.[1];
}

/** Says which argument, tools or capabilities an undefined name may mean. */
export async function explainName(run: Run, { outcome, args = {} }: FailedRun): Promise<string | undefined> {
  const name = undefinedName(outcome);
  if (name === undefined) return undefined;
  if (Object.hasOwn(args, name)) return `Write \`args.${name}\`: code reads its arguments from \`args\`.`;
  // The sandbox itself lacks it, so no tool of a similar name was meant.
  if (outcome.kind === 'denied') return insteadOfGlobal(run, name);
  const candidates = await candidateNames(run);
  const own = candidates.filter((one) => one.slice(one.indexOf(':') + 1) === name);
  const similar =
    own.length > 0 ? own.slice(0, MAX_SHAPES) : suggestNames(name.replace('_', ':'), candidates);
  if (similar.length === 0) return undefined;
  return `Call a tool or capability as ${similar.map((one) => `\`${referenceText(one)}\``).join(' or ')}.`;
}

/** Says what the call returned whose result the code misread. */
export async function explainValue(
  run: Run,
  { outcome, trace, code }: FailedRun,
): Promise<string | undefined> {
  const { line, column } = outcome;
  if (outcome.kind !== 'exception' || line === undefined || column === undefined) return undefined;
  if (!MISREAD.test(outcome.message)) return undefined;
  const { unawaited } = await runCodeTask('findOmissions', code);
  if (unawaited !== undefined)
    return `Nothing waits for \`${run.redactor.text(unawaited)}\`: write \`await\` before it.`;
  const origin = await runCodeTask('valueOrigin', code, { line, column });
  const returned = origin && (await describeReturned(run, trace, origin.name));
  if (!returned) return lastReturned(run, trace);
  const meant = correctedReads(returned.value, origin, outcome.message);
  if (meant.length === 0) return returned.text;
  const notes = meant.flatMap(({ note }) => note ?? []);
  const advice = `Write ${meant.map(({ expression }) => `\`${expression}\``).join(' or ')}.`;
  return [returned.text, run.redactor.text([...notes, advice].join(' '))].join(' ');
}

/** Explains code that returned undefined: says what the call returned whose result it read. */
export async function explainNothing(run: Run, trace: CallTrace, code: string): Promise<string | undefined> {
  if (trace.results.size === 0) return undefined;
  const origin = await runCodeTask('valueOrigin', code);
  const returned = origin && (await describeReturned(run, trace, origin.name));
  return returned && `\`${run.redactor.text(origin.text)}\` is undefined: ${returned.text}`;
}

async function describeReturned(
  run: Run,
  trace: CallTrace,
  name: string,
): Promise<{ text: string; value: unknown } | undefined> {
  const callee = await resolveName(run, name);
  if (!callee || !trace.results.has(canonicalName(callee))) return undefined;
  const value = trace.results.get(canonicalName(callee));
  return { text: `${referenceText(displayName(callee))} returned ${shapeOf(run, value)}.`, value };
}

/** Describes the latest results: the misread value may come from any of them. */
function lastReturned(run: Run, { calls, results }: CallTrace): string | undefined {
  const callees = new Map(calls.map(({ callee }) => [canonicalName(callee), callee]));
  const texts = [...results].slice(-MAX_SHAPES).flatMap(([name, value]) => {
    const callee = callees.get(name);
    return callee ? `${referenceText(displayName(callee))} returned ${shapeOf(run, value)}.` : [];
  });
  return texts.length > 0 ? texts.join(' ') : undefined;
}

/** Shows types and the names of properties, never values. */
function shapeOf({ redactor }: Run, value: unknown): string {
  return redactor.text(
    value === undefined ? 'nothing' : printType(inferOutput(value), MAX_SHAPE),
    2 * MAX_SHAPE,
  );
}
