import type { Step } from './steps.ts';
import type { Constant, Term } from './terms.ts';

/** The uses of one literal of the source. */
export interface ConstantUse {
  readonly origin: string;
  /** The name of its constant in the source, else the key that it is passed under. */
  name: string;
  readonly value: Constant['value'];
  isNamed: boolean;
  /** How often it is passed to a call as it is. */
  passed: number;
  /** How often something is computed from it. */
  computed: number;
}

/** True if the constant gets a declaration: it is passed several times, passed and computed with, or named and computed with. */
export function isDeclared({ isNamed, passed, computed }: ConstantUse): boolean {
  return passed > 1 || (isNamed && computed > 0) || (passed > 0 && computed > 0);
}

/** Finds the uses of all constants, in the order of their first use. */
export function constantUses(steps: readonly Step[], names: ReadonlyMap<string, string>): ConstantUse[] {
  const survey = new ConstantSurvey(names);
  survey.steps(steps);
  return [...survey.uses.values()];
}

/** Finds the calls whose result is used. */
export function usedResults(steps: readonly Step[]): Set<number> {
  const survey = new ConstantSurvey(new Map());
  survey.steps(steps);
  return survey.results;
}

class ConstantSurvey {
  readonly uses = new Map<string, ConstantUse>();
  readonly results = new Set<number>();
  readonly #names: ReadonlyMap<string, string>;
  readonly #seen = new Set<number>();

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  steps(steps: readonly Step[]): void {
    for (const step of steps) this.#step(step);
  }

  #step(step: Step): void {
    switch (step.kind) {
      case 'call':
        for (const term of step.args) this.#passed(term, 'value');
        return;
      case 'log':
        for (const term of step.terms) this.#computed(term);
        return;
      case 'branch':
      case 'attempt':
        if (step.kind === 'branch') this.#computed(step.test);
        this.steps(step.kind === 'branch' ? step.yes : step.body);
        this.steps(step.kind === 'branch' ? step.no : step.handler);
        for (const { first, second } of step.choices)
          for (const term of [first, second]) this.#computed(term);
        return;
      case 'each':
        this.#computed(step.list);
        this.steps(step.body);
        for (const { value } of step.collected) this.#computed(value);
        return;
      default:
        this.#computed(step.term);
    }
  }

  /** Follows an argument of a call; the values inside objects and lists are passed, too. */
  #passed(term: Term, key: string): void {
    if (term.kind === 'constant') this.#note(term, key, 'passed');
    else if (term.kind !== 'operation' || (term.name !== 'object' && term.name !== 'array'))
      this.#computed(term);
    else for (const [at, operand] of term.operands.entries()) this.#passed(operand, term.keys?.[at] ?? key);
  }

  #computed(term: Term): void {
    if (term.kind === 'constant') {
      this.#note(term, 'value', 'computed');
      return;
    }
    if (term.kind === 'result') this.results.add(term.of as number);
    if (term.kind !== 'operation' || this.#seen.has(term.id)) return;
    this.#seen.add(term.id);
    for (const operand of term.operands) this.#computed(operand);
  }

  #note({ origin, value }: Constant, key: string, use: 'passed' | 'computed'): void {
    if (origin === undefined) return;
    const known = this.uses.get(origin);
    const name = this.#names.get(origin);
    const one = known ?? {
      origin,
      name: identifierOf(name ?? key),
      value,
      isNamed: name !== undefined,
      passed: 0,
      computed: 0,
    };
    one[use] += 1;
    this.uses.set(origin, one);
  }
}

/** Makes a name that a variable may have. */
export function identifierOf(key: string): string {
  const plain = key.replace(/[^A-Za-z0-9_$]+/g, '_');
  return /^[A-Za-z_$]/.test(plain) ? plain : `_${plain}`;
}
