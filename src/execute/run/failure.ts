import { type ErrorCode, PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Callable } from '../../registry/index.ts';
import type { Outcome } from '../../sandbox/index.ts';
import { hideSecrets } from '../../secrets/index.ts';

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

/** Turns a failed run into an error with its position, and the name of the capability that failed, if any. */
export function failureOf(outcome: Outcome & { ok: false }, name?: string): PmlError {
  const { kind, message, line, column } = outcome;
  const position =
    line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  const prefix = name === undefined ? '' : `Capability "${name}" failed: `;
  const code = PROPAGATED_CODES.includes(outcome.code ?? '')
    ? (outcome.code as ErrorCode)
    : CODES_BY_KIND[kind];
  return new PmlError(code, `${prefix}${message}${position}`);
}

/** Hides secrets from everyone but the creator: a failure may quote what the creator wrote into the code. */
export function redactForOthers(who: Principal, { createdBy }: Callable, failure: PmlError): PmlError {
  if (createdBy === who.user) return failure;
  return new PmlError(failure.code, hideSecrets(failure.message));
}
