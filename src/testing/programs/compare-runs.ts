import { type ProgramCall, type ProgramRun, type RunConditions, runProgram } from './run-program.ts';

/** Other orders in which the calls under way may end. */
const SCHEDULES = ['oldest', 'newest', 11, 22, 33, 44] as const;

/** Two programs that should do the same, each with its arguments. */
export interface Pair {
  readonly original: { readonly source: string; readonly args?: Readonly<Record<string, unknown>> };
  readonly other: { readonly source: string; readonly args?: Readonly<Record<string, unknown>> };
  /** Calls that change nothing: whether they wait for each other makes no difference. */
  readonly isReadOnly?: (name: string) => boolean;
}

/**
 * Runs both programs against the same answers and describes the first difference. Calls that overlap in the original
 * may come in any order in the other program. If one of them fails, the others may be missing there.
 */
export async function differenceBetween(
  { original, other, isReadOnly = () => false }: Pair,
  conditions: Omit<RunConditions, 'args'>,
): Promise<string | undefined> {
  const expected = await runProgram(original.source, { ...conditions, args: original.args ?? {} });
  const found = await runProgram(other.source, { ...conditions, args: other.args ?? {} });
  const difference = differenceOf(expected, found, isReadOnly);
  if (difference === undefined || !expected.calls.some(({ failed }) => failed)) return difference;
  // A failure ends a program at once, so what else it had time for depends on the order in which calls end.
  for (const schedule of SCHEDULES) {
    const again = await runProgram(original.source, { ...conditions, schedule, args: original.args ?? {} });
    if (differenceOf(again, found, isReadOnly) === undefined) return undefined;
  }
  return difference;
}

/** Describes how the second run differs from what the first allows; undefined if it does not. */
export function differenceOf(
  expected: ProgramRun,
  found: ProgramRun,
  isReadOnly: (name: string) => boolean = () => false,
): string | undefined {
  const inFound = new Map(found.calls.map((call) => [call.key, call]));
  const inExpected = new Map(expected.calls.map((call) => [call.key, call]));
  const hasFailed = expected.calls.some(({ failed }) => failed);
  const extra = found.calls.find(({ key, name }) => !inExpected.has(key) && !(hasFailed && isReadOnly(name)));
  if (extra) return `makes a call that the original does not: ${extra.key}`;
  const failures = expected.calls.filter(({ failed }) => failed);
  const isExcused = (call: ProgramCall) => failures.some((one) => inFound.has(one.key) && overlap(one, call));
  const missing = expected.calls.find((call) => !inFound.has(call.key) && !isExcused(call));
  if (missing) return `does not make the call ${missing.key}`;
  for (const [at, second] of expected.calls.entries()) {
    for (const first of expected.calls.slice(0, at)) {
      const [one, two] = [inFound.get(first.key), inFound.get(second.key)];
      if (isReadOnly(first.name) && isReadOnly(second.name)) continue;
      if (one && two && first.endedAt < second.startedAt && !(one.endedAt < two.startedAt))
        return `does not wait for ${first.key} before ${second.key}`;
    }
  }
  const others = found.calls.filter(({ failed, name }) => failed && isReadOnly(name));
  return outcomeDifference(expected, found, [...failures, ...others]);
}

function outcomeDifference(
  { outcome: expected }: ProgramRun,
  { outcome: found }: ProgramRun,
  failures: readonly ProgramCall[],
): string | undefined {
  if (expected.kind === found.kind && expected.text === found.text) return undefined;
  // If several fail at a time, the first failure is thrown.
  const isOneOfThem =
    expected.kind === 'threw' &&
    found.kind === 'threw' &&
    failures.length > 1 &&
    /^Error\("failed /.test(found.text);
  if (isOneOfThem) return undefined;
  return `ends differently: ${expected.kind} ${expected.text}, but then ${found.kind} ${found.text}`;
}

function overlap(one: ProgramCall, other: ProgramCall): boolean {
  return one.startedAt < other.endedAt && other.startedAt < one.endedAt;
}
