import type { ReplayCall, World } from '../replay-request.ts';
import { drawBelow, drawFrom, hashText, isDrawn } from './hash.ts';
import { canonicalArgs } from './recorded-answers.ts';

/** One call of a program, as a world sees it. */
export interface WorldCall {
  readonly name: string;
  /** Canonical JSON. */
  readonly args: string;
  /** How often the program has made the same call before. */
  readonly nth: number;
  /** How many calls that may change something the program has made before; undefined for a read. */
  readonly writes: number | undefined;
}

const MESSAGES = [
  'Not found (404)',
  'Rate limit exceeded (429)',
  'Permission denied',
  'The request timed out',
];

/**
 * Which calls of a world fail. A read is known by what it asks for, never by when: programs may read in any order. Writes
 * are counted, since their order is part of what a program does.
 */
export function failureRule(
  world: World,
  calls: readonly ReplayCall[],
  tools: readonly string[],
): (call: WorldCall) => boolean {
  switch (world.kind) {
    case 'fail1':
    case 'fail2':
    case 'fail3':
      return isNthRecorded(calls, Number(world.kind.slice(-1)) - 1);
    case 'failAll':
      return () => true;
    case 'failSome':
      return ({ name, args, nth }) => isDrawn(hashText(`${name}\n${args}\n${nth}`, world.seed), 101, 35);
    case 'failWrite1':
      return ({ writes }) => writes === 0;
    case 'failWrite2':
      return ({ writes }) => writes === 1;
    case 'failTool':
      // The last tools first: the failure of the first one ends most programs.
      return ({ name }) => name === tools.at(-1 - ((world.seed % 16) % tools.length));
    default:
      return () => false;
  }
}

/** Finds the nth call of the recording again, in whatever order the program makes its calls. */
function isNthRecorded(calls: readonly ReplayCall[], n: number): (call: WorldCall) => boolean {
  const target = calls[n];
  if (!target) return () => false;
  const targetArgs = canonicalArgs(target.args);
  const isSame = ({ name, args }: ReplayCall) => name === target.name && canonicalArgs(args) === targetArgs;
  const before = calls.slice(0, n).filter(isSame).length;
  return ({ name, args, nth }) => name === target.name && args === targetArgs && nth === before;
}

/** Programs look at messages, so failures say what real ones say, and what the programs' own texts are. */
export function failureMessage({ name, args }: WorldCall, seed: number, words: readonly string[]): string {
  const key = hashText(`${name}\n${args}`, seed);
  if (drawBelow(key, 102, 100) < 25 && words.length > 0) return drawFrom(words, key, 103);
  return drawFrom([...MESSAGES, `failed ${name}`], key, 104);
}
