import { canonicalJson } from '../canonical-json.ts';
import type { TranscribedCall, Transcript } from './replay-request.ts';

/** True for a call that changes nothing: by its callee, or by what it asks of it. */
export type IsRead = (call: Pick<TranscribedCall, 'name' | 'args'>) => boolean;

/** Decides whether two programs did the same in one world. `unknown` if one of them was stopped. */
export function sameBehaviour(
  a: Transcript,
  b: Transcript,
  isRead: IsRead,
): 'same' | 'different' | 'unknown' {
  if (a.end === 'limit' || b.end === 'limit') return 'unknown';
  if (a.end !== b.end) return 'different';
  const isSame =
    a.end === 'failure'
      ? // What a failed program has read does not matter: nobody gets it.
        writesOf(a, isRead) === writesOf(b, isRead)
      : effectsOf(a, isRead) === effectsOf(b, isRead) && isSameValue(a.value ?? '', b.value ?? '');
  return isSame ? 'same' : 'different';
}

/** The share of the varied worlds that must tell something, and of those in which both programs return a value. */
const MIN_KNOWN = 1 / 2;
const MIN_VALUES = 1 / 4;

/**
 * Decides whether two programs behave alike in all worlds, of which the first is the recorded one. Too little evidence is
 * none: programs that mostly fail or never end are alike without being the same.
 */
export function compareAll(a: readonly Transcript[], b: readonly Transcript[], isRead: IsRead): boolean {
  const [first] = a;
  if (first?.end !== 'value' || a.length !== b.length) return false;
  const verdicts = a.map((one, world) => sameBehaviour(one, b[world] as Transcript, isRead));
  if (verdicts[0] !== 'same' || verdicts.includes('different')) return false;
  const varied = a.length - 1;
  const known = verdicts.slice(1).filter((verdict) => verdict === 'same').length;
  const values = verdicts
    .slice(1)
    .filter((verdict, i) => verdict === 'same' && a[i + 1]?.end === 'value').length;
  return known >= varied * MIN_KNOWN && values >= varied * MIN_VALUES;
}

function writesOf({ calls }: Transcript, isRead: IsRead): string {
  return calls
    .filter((call) => !isRead(call))
    .map(textOf)
    .join('\n');
}

/**
 * The writes in order, and between them the reads in any order: a read sees what was written before it, and no more. A write that
 * is under way together with another call may come before or after it, so that is another effect.
 */
function effectsOf({ calls }: Transcript, isRead: IsRead): string {
  const effects: string[] = [];
  let reads: string[] = [];
  const flush = () => {
    effects.push(...reads.sort());
    reads = [];
  };
  for (const [at, call] of calls.entries()) {
    const isOnlyRead = isRead(call);
    const beside = calls.slice(Math.max(0, at - call.unanswered), at);
    const meets = isOnlyRead ? beside.some((one) => !isRead(one)) : beside.length > 0;
    const text = `${meets ? 'beside ' : ''}${textOf(call)}`;
    if (isOnlyRead) reads.push(`read ${text}`);
    else {
      flush();
      effects.push(`write ${text}`);
    }
  }
  flush();
  return effects.join('\n');
}

/** One line, since JSON has no line breaks outside of its strings' escapes. */
function textOf({ name, args }: Pick<TranscribedCall, 'name' | 'args'>): string {
  return `${JSON.stringify(name)} ${args}`;
}

function isSameValue(a: string, b: string): boolean {
  return a === b || (a !== '' && b !== '' && canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b)));
}
