import { editDistance } from '../../edit-distance.ts';

/**
 * Folds case, `_` and `-`, as names in code are compared. The colon stays: `fs:read` is no `f:sread`. Other rooms fold
 * more: a client may write any separator (`foldToolName` in access/), and the store compares letters and digits alone
 * (`looseName` in registry/).
 */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

const MIN_LIKENESS = 0.6;
const SHOWN = 3;
/** Longer names are not compared: the time grows with the square of their length. */
const MAX_COMPARED = 128;
/** How many pairs of letters are compared: thousands of names of the usual length, and fewer long ones. */
const MAX_WORK = 4_000_000;

/** Lists the candidates that a misspelt name most likely meant, best first; none if nothing comes near. */
export function suggestNames(name: string, candidates: Iterable<string>, limit = SHOWN): string[] {
  if (name.length > MAX_COMPARED) return [];
  const wanted = foldName(name);
  const scored: { candidate: string; score: number }[] = [];
  let work = MAX_WORK;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED) continue;
    work -= name.length * candidate.length;
    if (work < 0) break;
    const score = likeness(wanted, foldName(candidate));
    if (score >= MIN_LIKENESS) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** Scores from 0 to 1. The right tool under another server's name counts almost as much as a misspelt one. */
function likeness(a: string, b: string): number {
  const whole = similarity(a, b);
  const [toolA, toolB] = [a.slice(a.indexOf(':') + 1), b.slice(b.indexOf(':') + 1)];
  const sameServer = a.includes(':') && a.split(':')[0] === b.split(':')[0];
  // A name of one or two letters is like many others.
  const isTelling = toolA.length > 2;
  // Within one server, part of a name is a fair guess: `fs:read` for `fs:read_file`.
  const part = sameServer && isTelling && (toolB.includes(toolA) || toolA.includes(toolB)) ? 0.75 : 0;
  return Math.max(whole, isTelling ? 0.9 * similarity(toolA, toolB) : 0, part);
}

function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  // Too different in length to reach the threshold, so not worth measuring.
  const most = longest * (1 - MIN_LIKENESS);
  if (Math.abs(a.length - b.length) > most) return 0;
  return Math.max(0, 1 - editDistance(a, b, most) / longest);
}
