import { isReadOnlyTool, referenceText } from '../../code/index.ts';
import { isJsonObject } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { CallTrace, TracedCall } from '../run/call-trace.ts';
import { displayName, type ResolvedName } from '../run/resolve-names.ts';

/** Larger arguments are shown by their keys alone; in bytes of JSON. */
const MAX_ARGUMENTS = 16 * 1024;
const MAX_KEYS = 6;
const MAX_VALUE = 40;
const MAX_CALL = 200;
const MAX_CALLS = 8;

/** Writes a call as code, with its arguments shortened and without secrets: `mcp.fs.read({ path: "a" })`. */
export function callText({ callee, given }: TracedCall, redactor: Redactor, showsArguments: boolean): string {
  const name = referenceText(displayName(callee));
  if (!showsArguments) return name;
  return redactor.text(`${name}(${argumentsText(given, redactor)})`, MAX_CALL);
}

function argumentsText(given: unknown, redactor: Redactor): string {
  if (given === undefined) return '';
  if (!isJsonObject(given)) return '…';
  const isSmall = jsonFits(given, MAX_ARGUMENTS);
  const shown: Record<string, unknown> | string = isSmall ? redactor.json(given) : given;
  if (!isJsonObject(shown)) return '…';
  const keys = Object.keys(shown);
  const members = keys
    .slice(0, MAX_KEYS)
    .map((key) => `${JSON.stringify(key).slice(1, -1)}: ${isSmall ? valueText(shown[key]) : '…'}`);
  if (keys.length > MAX_KEYS) members.push('…');
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  if (text.length <= MAX_VALUE) return text;
  return typeof value === 'string'
    ? `${text.slice(0, MAX_VALUE).toWellFormed()}…"`
    : Array.isArray(value)
      ? '[…]'
      : '{…}';
}

/** Says what a run had done before it failed: lists the calls that may have changed something, counts those that only read. */
export function doneBefore(
  { calls, pending }: CallTrace,
  redactor: Redactor,
  showsArguments: boolean,
): string | undefined {
  const done = calls.filter(({ state }) => state === 'done');
  const changes = done.filter(({ callee }) => !isRead(callee));
  const reads = done.length - changes.length;
  const parts: string[] = [];
  if (changes.length > 0) parts.push(`Already done: ${listCalls(changes, redactor, showsArguments)}.`);
  const counted = (more: string) => `${reads}${more} call${reads === 1 ? '' : 's'} only read`;
  if (changes.length > 0 && reads > 0) parts.push(`${counted(' more')}.`);
  else if (reads > 0) parts.push(`Nothing was changed before it: ${counted('')}.`);
  const uncertain = pending.filter(({ callee }) => !isRead(callee));
  if (uncertain.length > 0)
    parts.push(`In progress, and perhaps done: ${listCalls(uncertain, redactor, showsArguments)}.`);
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** Returns whether a finished call of the run may have changed something. */
export function changedBefore({ calls }: CallTrace): boolean {
  return calls.some(({ state, callee }) => state === 'done' && !isRead(callee));
}

/** Lists the first calls and the last. */
export function listCalls(calls: readonly TracedCall[], redactor: Redactor, showsArguments: boolean): string {
  const text = (call: TracedCall) => callText(call, redactor, showsArguments);
  if (calls.length <= MAX_CALLS) return calls.map(text).join(', ');
  const half = MAX_CALLS / 2;
  const between = `… ${calls.length - MAX_CALLS} more …`;
  return [...calls.slice(0, half).map(text), between, ...calls.slice(-half).map(text)].join(', ');
}

function isRead(callee: ResolvedName): boolean {
  if (callee.kind === 'capability') return false;
  const { own, listed } = callee.entry;
  return isReadOnlyTool({ name: own, annotations: listed.annotations, inputSchema: listed.inputSchema });
}
