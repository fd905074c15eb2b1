import { editDistance } from '../../edit-distance.ts';

/** Names are compared without case, `_` and `-`. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

const FEWEST_ALIKE = 0.6;
const SHOWN = 3;

/** The candidates a misspelt name most likely meant, best first; none if nothing comes near. */
export function suggest(name: string, candidates: Iterable<string>, limit = SHOWN): string[] {
  const wanted = foldName(name);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const score = likeness(wanted, foldName(candidate));
    if (score >= FEWEST_ALIKE) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** From 0 to 1. The right tool under another server's name counts almost as much as a misspelt one. */
function likeness(a: string, b: string): number {
  const whole = similarity(a, b);
  const [toolA, toolB] = [a.slice(a.indexOf(':') + 1), b.slice(b.indexOf(':') + 1)];
  const sameServer = a.includes(':') && a.split(':')[0] === b.split(':')[0];
  // Within one server a part of the name is a fair guess: `fs:read` for `fs:read_file`.
  const part = sameServer && toolA.length > 2 && (toolB.includes(toolA) || toolA.includes(toolB)) ? 0.75 : 0;
  return Math.max(whole, 0.9 * similarity(toolA, toolB), part);
}

function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  // Too different in length to reach the threshold: not worth measuring.
  if (Math.abs(a.length - b.length) > longest * (1 - FEWEST_ALIKE)) return 0;
  return 1 - editDistance(a, b) / longest;
}
