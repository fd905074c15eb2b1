import type { Term } from './terms.ts';

/** One act of a program. Everything else that the program computes is a term. */
export type Step =
  | CallStep
  /** Computes a value that may throw, before the next call is made. */
  | { readonly kind: 'evaluate'; readonly term: Term }
  /** Computes a value that differs each time, such as the clock. */
  | { readonly kind: 'sample'; readonly variable: number; readonly term: Term }
  | { readonly kind: 'log'; readonly method: string; readonly terms: readonly Term[] }
  | BranchStep
  | EachStep
  | AttemptStep
  | { readonly kind: 'return' | 'throw'; readonly term: Term };

export interface CallStep {
  readonly kind: 'call';
  /** The number of the call in the program, by which terms refer to its result. */
  readonly call: number;
  /** The name as the program spells it. */
  readonly name: string;
  readonly args: readonly Term[];
  /** The calls of one batch run concurrently. */
  readonly batch: number;
}

/** A variable that gets one of two values. */
export interface Choice {
  readonly variable: number;
  readonly first: Term;
  readonly second: Term;
}

export interface BranchStep {
  readonly kind: 'branch';
  readonly test: Term;
  readonly yes: readonly Step[];
  readonly no: readonly Step[];
  readonly choices: readonly Choice[];
}

/** Does the same for every item of a list that only the run knows. */
export interface EachStep {
  readonly kind: 'each';
  readonly list: Term;
  readonly item: number;
  readonly body: readonly Step[];
  /** One value per round, collected in a list. */
  readonly collected: readonly { readonly variable: number; readonly value: Term }[];
  readonly isParallel: boolean;
}

export interface AttemptStep {
  readonly kind: 'attempt';
  readonly body: readonly Step[];
  readonly error: number;
  readonly handler: readonly Step[];
  readonly choices: readonly Choice[];
}
