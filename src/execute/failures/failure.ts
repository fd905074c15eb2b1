import { runCodeTask } from '../../code/index.ts';
import { type CodePosition, type ErrorCode, messageOf, PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Callable } from '../../registry/index.ts';
import type { Outcome } from '../../sandbox/index.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { TracedCall } from '../run/call-trace.ts';
import type { Run } from '../run/run.ts';
import { callText, changedBefore, doneBefore, listCalls } from './describe-calls.ts';
import { explainArguments, explainName, explainValue, ifPossible, undefinedName } from './explain-failure.ts';
import type { FailedRun } from './failed-run.ts';

const CODES_BY_KIND = {
  syntax: 'syntax_error',
  exception: 'code_exception',
  timeout: 'code_timeout',
  memory: 'code_memory',
  limit: 'code_limit',
  denied: 'code_denied',
  cancelled: 'cancelled',
} as const;

/** These codes propagate from nested runs: of two runs that share a deadline, either may reach it first. */
const PROPAGATED_CODES: readonly string[] = [
  'code_timeout',
  'code_memory',
  'code_limit',
  'cancelled',
  'capability_cycle',
  'capability_stale',
];

const MAX_HINT = 3000;

/** Turns a failed run into an error: which call failed, where and why, and what had been done before it. */
export async function failureOf(run: Run, failed: FailedRun): Promise<PmlError> {
  const { outcome, trace, capability } = failed;
  // The arguments of a call may be data that the capability's maker wrote into its code.
  const showsArguments = capability === undefined || capability.createdBy === run.who.user;
  const call = trace.failedWith(outcome.message);
  const isOfCall = call !== undefined && outcome.name === 'ToolError';
  const message = isOfCall ? callFailure(run, call, outcome, showsArguments) : outcome.message;
  const hints = [
    ...timeoutHints(run, failed, showsArguments),
    call && !isOfCall && `The call that failed: ${callText(call, run.redactor, showsArguments)}.`,
    call && explainArguments(run, call, showsArguments),
    !call && (await ifPossible(run, explainValue(run, failed))),
    !capability && (await ifPossible(run, explainName(run, failed))),
    doneBefore(trace, run.redactor, showsArguments),
    call &&
      changedBefore(trace) &&
      'Once the call that failed can succeed, go on from it, and do not repeat what is already done.',
  ].filter((hint) => typeof hint === 'string');
  const prefix = capability ? `Capability "${capability.name}" failed: ` : '';
  const at = await ifPossible(run, positionOf(failed));
  const error = failureWith(outcome, `${prefix}${message}${positionText(at)}`, hints.join(' '), at);
  return capability ? redactForOthers(run.who, capability, error) : error;
}

/** Makes the error of a failed run, with the code of a nested failure if that propagates. */
export function failureWith(
  { kind, code }: Outcome & { ok: false },
  message: string,
  hint = '',
  at?: CodePosition,
): PmlError {
  const propagated = PROPAGATED_CODES.includes(code ?? '') ? (code as ErrorCode) : CODES_BY_KIND[kind];
  return new PmlError(propagated, message, { ...(hint !== '' && { hint: hint.slice(0, MAX_HINT) }), at });
}

/** Names the call that failed, unless it called a capability whose message names it already. */
function callFailure(
  { redactor }: Run,
  call: TracedCall,
  { message }: Outcome & { ok: false },
  showsArguments: boolean,
): string {
  const reason = message.replace(/^ToolError: /, '');
  const isNamed =
    call.callee.kind === 'capability' && messageOf(call.error).includes(call.callee.capability.name);
  return isNamed ? reason : `${callText(call, redactor, showsArguments)} failed: ${reason}`;
}

function timeoutHints(
  { limits, longestMs, redactor }: Run,
  { outcome, trace }: FailedRun,
  showsArguments: boolean,
): string[] {
  if (outcome.kind !== 'timeout') return [];
  const waiting = trace.pending;
  const pending =
    waiting.length > 0
      ? `It was waiting for ${listCalls(waiting, redactor, showsArguments)}.`
      : 'No call was under way: perhaps a loop never ends.';
  const isRaisable = limits.wallMs < longestMs;
  const remedy = isRaisable
    ? `Allow more with options.timeout: at most ${longestMs} (milliseconds).`
    : `options.timeout can allow no more than ${longestMs} ms: do less in one run.`;
  return [pending, remedy];
}

/** Finds the place in the code as it was sent. */
async function positionOf({ outcome, sent, code }: FailedRun): Promise<CodePosition | undefined> {
  const { line, column } = outcome;
  if (line === undefined || column === undefined) return line === undefined ? undefined : { line };
  const name = undefinedName(outcome);
  const at =
    name === undefined ? { line, column } : await runCodeTask('undeclaredUse', code, name, { line, column });
  return sent && sent.source !== code ? runCodeTask('originalPosition', sent.source, sent.functions, at) : at;
}

function positionText(at: CodePosition | undefined): string {
  if (!at) return '';
  return at.column === undefined ? ` (line ${at.line})` : ` (line ${at.line}, column ${at.column})`;
}

/** Hides secrets from everyone but the creator: a failure may quote what the creator wrote into the code. */
export function redactForOthers(who: Principal, { createdBy }: Callable, failure: PmlError): PmlError {
  if (createdBy === who.user) return failure;
  const { code, message, hint, at } = failure;
  return new PmlError(code, hideSecrets(message), {
    ...(hint !== undefined && { hint: hideSecrets(hint) }),
    at,
  });
}
