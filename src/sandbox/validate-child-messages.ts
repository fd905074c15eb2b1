import { isTextTooDeep } from './guest-json.ts';
import { FAILURE_KINDS, type Failure, MAX_LOST_LENGTH } from './protocol.ts';
import {
  MAX_TRANSCRIPT_TEXT,
  type ReplayLimits,
  type TranscribedCall,
  type Transcript,
} from './replay-request.ts';

/**
 * Validates what a child sends: a guest that has escaped its isolate may make it send anything. A malformed message
 * throws, and the child is killed.
 */

const MAX_TEXT_LENGTH = 50_000;

/** The names that a call goes to: one or two. */
export function checkPath(path: unknown): string[] {
  if (
    Array.isArray(path) &&
    path.length > 0 &&
    path.length < 3 &&
    path.every((name) => typeof name === 'string')
  )
    return path;
  throw new Error('broken path');
}

/** Copies the known members of a failure, and no other. */
export function checkFailure(received: Failure): Failure {
  if (!FAILURE_KINDS.includes(received.kind)) throw new Error('broken failure');
  const failure: Failure = { kind: received.kind, message: checkText(received.message) };
  for (const key of ['name', 'code', 'stack'] as const) {
    if (received[key] !== undefined) failure[key] = checkText(received[key]);
  }
  for (const key of ['line', 'column'] as const) {
    if (Number.isInteger(received[key])) failure[key] = received[key];
  }
  return failure;
}

/** The note of what a result lost. */
export function checkLost(lost: unknown): string {
  return checkText(lost).slice(0, MAX_LOST_LENGTH);
}

/** The transcripts of a replay: exactly one for each program and world, within the limits that the child was given. */
export function checkTranscripts(
  body: string,
  programs: number,
  worlds: number,
  limits: ReplayLimits,
): Transcript[][] {
  if (isTextTooDeep(body)) throw new Error('broken transcripts');
  const rows = checkList(JSON.parse(body), programs);
  return rows.map((row) => checkList(row, worlds).map((one) => checkTranscript(one, limits)));
}

function checkList(list: unknown, length: number): unknown[] {
  if (!Array.isArray(list) || list.length !== length) throw new Error('broken transcripts');
  return list;
}

function checkTranscript(received: unknown, limits: ReplayLimits): Transcript {
  if (typeof received !== 'object' || received === null) throw new Error('broken transcript');
  const { calls, end, value, message } = received as Record<string, unknown>;
  if (!Array.isArray(calls) || calls.length > limits.calls) throw new Error('broken transcript');
  const copied = calls.map((call) => checkTranscribedCall(call, limits));
  if (end === 'value') return { calls: copied, end, value: checkValue(value, limits) };
  if (end !== 'failure' && end !== 'limit') throw new Error('broken transcript');
  return { calls: copied, end, message: checkText(message).slice(0, MAX_TRANSCRIPT_TEXT) };
}

function checkTranscribedCall(received: unknown, limits: ReplayLimits): TranscribedCall {
  const { name, args, unanswered } = (received ?? {}) as Record<string, unknown>;
  if (typeof args !== 'string' || args.length > 2 * limits.valueBytes) throw new Error('broken transcript');
  if (typeof unanswered !== 'number' || !(unanswered >= 0)) throw new Error('broken transcript');
  return { name: checkText(name).slice(0, MAX_TRANSCRIPT_TEXT), args, unanswered };
}

/** JSON text, or an empty one. It is parsed later, only if it must be compared, so it is tried now. */
function checkValue(value: unknown, limits: ReplayLimits): string {
  if (typeof value !== 'string' || value.length > limits.valueBytes || isTextTooDeep(value))
    throw new Error('broken value');
  if (value !== '') JSON.parse(value);
  return value;
}

function checkText(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_TEXT_LENGTH) throw new Error('broken text');
  return text;
}
