import type { Result } from '../support/clients.ts';

/** How an intent was answered. */
export interface Offer {
  readonly intent: string;
  /** The first result; `wrong` is a capability that does something else. */
  readonly first: 'right' | 'wrong' | 'tool' | 'nothing';
  readonly score: number;
  readonly description: string;
  /** A right capability is among the results. */
  readonly isOffered: boolean;
  readonly clearMatch: 'right' | 'wrong' | 'none';
  /** The first result is the capability that a near-miss was made for. */
  readonly isOwnFirst: boolean;
}

interface Described {
  readonly kind: 'tool' | 'capability';
  readonly name: string;
  readonly score: number;
  readonly description: string;
}

/** Judges an answer of `pml_execute` or `pml_discover`. For a near-miss no capability is right. */
export function judgeOffer(
  intent: string,
  answer: Result,
  right: ReadonlySet<string>,
  own?: string | undefined,
): Offer {
  const offered = (answer.suggestions ?? answer.results ?? []) as readonly Described[];
  const [best] = offered;
  const match = answer.clear_match as { name: string } | undefined;
  const judged = (name: string) => (right.has(name) ? 'right' : 'wrong');
  return {
    intent,
    first: best === undefined ? 'nothing' : best.kind === 'tool' ? 'tool' : judged(best.name),
    score: best?.score ?? 0,
    description: best?.description ?? '',
    isOffered: offered.some(({ name }) => right.has(name)),
    clearMatch: match === undefined ? 'none' : judged(match.name),
    isOwnFirst: best !== undefined && best.name === own,
  };
}

export function offers(answer: Result, capability: string): boolean {
  const offered = (answer.suggestions ?? answer.results ?? []) as readonly Described[];
  return offered.some(({ name }) => name === capability);
}
