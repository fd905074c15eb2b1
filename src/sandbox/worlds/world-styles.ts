import type { ReplayCall, World, WorldKind } from '../replay-request.ts';
import { mixHash } from './hash.ts';
import { momentOf } from './world-clock.ts';

/** How a world's lists differ from the recorded ones. */
export type ListRule = 'same' | 'near' | 'sized' | 'longer' | 'single' | 'empty' | 'partlyEmpty';

/** How a world's answers differ from the recorded ones. All numbers are percentages. */
export interface WorldStyle {
  /** Numbers, strings and booleans that change. */
  readonly leaves: number;
  readonly lists: ListRule;
  readonly shuffles: boolean;
  /** Values of a list's items that are replaced by the same field of another item. */
  readonly ties: number;
  /** Members that are missing or null. */
  readonly missing: number;
  /** Whether only members of a list's items are missing. */
  readonly onlyInItems: boolean;
  /** Values that become 0, "" or false. */
  readonly falsy: number;
  /** Numbers that become those of the programs, or their neighbours. */
  readonly edges: number;
  /** Whether texts get blank lines, garbage and odd spaces. */
  readonly isRough: boolean;
  /** Strings with signs, accents and capitals that programs seldom think of, and numbers below zero with many decimals. */
  readonly odd: number;
  /** Objects that have a field more, of those that the programs read. */
  readonly fuller: number;
}

/** Changes nothing but what repeats the arguments. */
export const AS_RECORDED: WorldStyle = {
  leaves: 0,
  lists: 'same',
  shuffles: false,
  ties: 0,
  missing: 0,
  onlyInItems: false,
  falsy: 0,
  edges: 0,
  isRough: false,
  odd: 0,
  fuller: 0,
};

const STYLES: Partial<Record<WorldKind, Partial<WorldStyle>>> = {
  values: { leaves: 70, lists: 'near' },
  edges: { leaves: 50, edges: 90, lists: 'sized' },
  longer: { leaves: 60, lists: 'longer' },
  single: { leaves: 30, lists: 'single' },
  empty: { lists: 'empty' },
  partlyEmpty: { leaves: 20, lists: 'partlyEmpty' },
  shuffled: { shuffles: true, ties: 35 },
  sparse: { leaves: 10, missing: 28 },
  falsy: { falsy: 35, leaves: 10 },
  text: { leaves: 25, isRough: true, lists: 'near' },
  odd: { leaves: 30, odd: 75, lists: 'longer' },
  fuller: { leaves: 20, fuller: 80 },
  failSome: { leaves: 40, lists: 'near' },
  failWrite2: { leaves: 60, lists: 'longer' },
};

/** Undefined for a world whose answers are those that were recorded. */
export function styleOf({ kind, seed }: World): WorldStyle | undefined {
  const style = STYLES[kind];
  // A missing list ends most programs, so every other such world only has items that lack something.
  return style && { ...AS_RECORDED, ...style, onlyInItems: seed % 2 === 0 };
}

/** The worlds that tell most programs apart, the most telling first. */
const USUAL: readonly WorldKind[] = [
  'values',
  'edges',
  'longer',
  'edges',
  'shuffled',
  'sparse',
  'falsy',
  'values',
  'edges',
  'empty',
  'sparse',
  'failAll',
  'fail1',
  'failSome',
  'single',
  'partlyEmpty',
  'null',
  'failWrite1',
  'values',
  'odd',
  'fuller',
  'odd',
  'fuller',
];
const EXTRA: readonly WorldKind[] = ['edges', 'values', 'edges', 'sparse', 'longer'];
const MAX_EXTRA = 12;
const MAX_NULLS = 3;
const MAX_FAILING_TOOLS = 3;

/**
 * The worlds in which to compare programs. The first one answers as recorded. `branches` says how many decisions the
 * programs make: each needs further values to meet both of its sides.
 */
export function worldsFor(given: {
  seed: number;
  calls: readonly ReplayCall[];
  branches?: number | undefined;
}): World[] {
  const { seed, calls, branches = 0 } = given;
  const kinds: WorldKind[] = [...USUAL];
  const tools = new Set(calls.map(({ name }) => name)).size;
  for (let i = 1; i < Math.min(tools, MAX_NULLS); i++) kinds.push('null');
  if (calls.length > 1) kinds.push('fail2', 'failWrite2');
  for (let i = 1; i < Math.min(tools, MAX_FAILING_TOOLS); i++) kinds.push('failTool');
  if (calls.length > 2) kinds.push('fail3');
  if (calls.some(({ result }) => holdsText(result))) kinds.push('text', 'text');
  for (let i = 0; i < Math.min(2 * branches, MAX_EXTRA); i++)
    kinds.push(EXTRA[i % EXTRA.length] as WorldKind);
  const counts = new Map<WorldKind, number>();
  const varied = kinds.map((kind, index) => {
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    // The lowest four bits count the worlds of one kind, so that each of them is another variation.
    return { kind, seed: (mixHash(seed, index) >>> 8) * 16 + (count % 16), now: momentOf(index) };
  });
  return [{ kind: 'recorded', seed: 0 }, ...varied];
}

/** Counts the decisions of programs, about. */
export function decisionsIn(codes: readonly string[]): number {
  const decisions = codes.map((code) =>
    code.match(/\b(?:if|while|for|case|filter|find|some|every|switch)\b|&&|\|\||\?|[<>]=?\s/g),
  );
  return Math.max(0, ...decisions.map((found) => found?.length ?? 0));
}

/** Whether a value holds a text of several lines, or with JSON in it. */
export function holdsText(value: unknown, depth = 0): boolean {
  if (typeof value === 'string')
    return value.includes('\n') || value.startsWith('{') || value.startsWith('[');
  if (typeof value !== 'object' || value === null || depth > 20) return false;
  return Object.values(value).some((one) => holdsText(one, depth + 1));
}
