import { createHash } from 'node:crypto';
import type { Choice, Step } from './steps.ts';
import type { Operation, Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

/** The identity of a program: what it does, however it is written and whatever its data. */
export interface FlowForms {
  /** The names that are called, in order, as the program spells them. */
  readonly calls: readonly string[];
  /** The form with every argument as data; and, if some arguments only override links, the form with those links. */
  readonly forms: readonly FlowForm[];
}

export interface FlowForm {
  /** sha256 of the calls in order with the flow of values, guards, exits and result; data is a hole. */
  readonly hash: string;
  /** The argument that stands at each hole, in order. */
  readonly holes: readonly string[];
}

/** Terms are shared, so the tree of their occurrences may be far larger: `n = n + n`. */
const MAX_OCCURRENCES = 2_000;

export interface FormOptions {
  /** Gives one name to all spellings of a callee. */
  readonly nameOf: (spelling: string) => string;
  /** True for an argument that stands in place of data. The arguments that the program itself reads count by name. */
  readonly isData: (argument: string) => boolean;
}

/** Prints the forms of a program. */
export function formsOf(steps: readonly Step[], options: FormOptions): FlowForms {
  const plain = new FormPrinter(options, false);
  const linked = new FormPrinter(options, true);
  const forms = [plain.print(steps), linked.print(steps)];
  return { calls: plain.calls, forms: forms[0]?.hash === forms[1]?.hash ? forms.slice(0, 1) : forms };
}

class FormPrinter {
  readonly #options: FormOptions;
  readonly #followsLinks: boolean;
  readonly #lines: string[] = [];
  readonly #labels = new Map<string, string>();
  readonly #variables = new Map<number | string, string>();
  readonly #holes: string[] = [];
  readonly calls: string[] = [];
  #depth = 0;

  /** `followsLinks`: `args.token ?? login.token` counts as the link, not as data. */
  constructor(options: FormOptions, followsLinks: boolean) {
    this.#options = options;
    this.#followsLinks = followsLinks;
  }

  print(steps: readonly Step[]): FlowForm {
    this.#steps(steps);
    const hash = createHash('sha256').update(this.#lines.join('\n')).digest('hex');
    return { hash, holes: this.#holes };
  }

  #steps(steps: readonly Step[]): void {
    for (const step of steps) this.#step(step);
  }

  #step(step: Step): void {
    switch (step.kind) {
      case 'call': {
        const name = this.#options.nameOf(step.name);
        this.calls.push(step.name);
        const args = step.args.map((term) => this.#use(term));
        // A call without arguments passes an empty object.
        this.#line(
          `call ${JSON.stringify(name)} ${args.length > 0 ? args.join(' ') : this.#define('object [] ')}`,
        );
        return;
      }
      case 'log':
        return;
      case 'sample':
        this.#line(`sample ${this.#use(step.term)}`);
        this.#name(step.variable);
        return;
      case 'evaluate':
      case 'return':
      case 'throw':
        this.#line(`${step.kind} ${this.#use(step.term)}`);
        return;
      case 'branch':
        this.#line(`if ${this.#use(step.test)}`);
        this.#steps(step.yes);
        this.#choose(step.choices, 'first');
        this.#line('else');
        this.#steps(step.no);
        this.#choose(step.choices, 'second');
        this.#endChoices(step.choices);
        return;
      case 'each':
        this.#line(`each ${this.#use(step.list)}`);
        this.#name(step.item);
        this.#steps(step.body);
        for (const { value } of step.collected) this.#line(`collect ${this.#use(value)}`);
        for (const { variable } of step.collected) this.#name(variable);
        this.#line('end');
        return;
      case 'attempt':
        this.#line('try');
        this.#steps(step.body);
        this.#choose(step.choices, 'first');
        this.#line('catch');
        this.#name(step.error);
        this.#steps(step.handler);
        this.#choose(step.choices, 'second');
        this.#endChoices(step.choices);
        return;
    }
  }

  #choose(choices: readonly Choice[], side: 'first' | 'second'): void {
    for (const choice of choices) this.#line(`choose ${this.#use(choice[side])}`);
  }

  #endChoices(choices: readonly Choice[]): void {
    for (const { variable } of choices) this.#name(variable);
    this.#line('end');
  }

  #line(text: string): void {
    this.#lines.push(text);
  }

  /** Variables are numbered in the order of the steps that make them. */
  #name(variable: number): void {
    this.#variables.set(variable, `v${this.#variables.size}`);
  }

  /** The label of a term that a step uses. */
  #use(term: Term): string {
    this.#countHoles(term);
    return this.#label(term);
  }

  #countHoles(written: Term): void {
    const term = this.#resolved(written);
    const name = this.#holeOf(term);
    if (name !== undefined) this.#holes.push(name);
    else if (term.kind === 'operation') for (const operand of ordered(term)) this.#countHoles(operand);
    this.#occurrences += 1;
    if (this.#occurrences > MAX_OCCURRENCES) throw new Unreadable('too many values');
  }

  #occurrences = 0;

  #label(written: Term): string {
    const term = this.#resolved(written);
    if (this.#holeOf(term) !== undefined) return '?';
    switch (term.kind) {
      case 'constant':
        return this.#define(`constant ${typeof term.value} ${JSON.stringify(term.value) ?? ''}`);
      case 'result':
        return `r${term.of}`;
      case 'global':
        return `g:${term.of}`;
      case 'variable':
        return this.#variables.get(term.of) ?? `v?${term.of}`;
      case 'operation':
        return term.name.startsWith('lambda') ? this.#lambda(term) : this.#operation(term);
    }
  }

  /** Resolves `argument ?? link` to the link or to the argument, depending on the form. */
  #resolved(term: Term): Term {
    if (term.kind !== 'operation' || term.name !== 'logical ??') return term;
    const [argument, link] = term.operands as [Term, Term];
    if (this.#holeOf(argument) === undefined) return term;
    return this.#followsLinks ? link : argument;
  }

  /** The name of the argument that stands in place of data: `x` of `args.x`. */
  #holeOf(term: Term): string | undefined {
    if (term.kind !== 'operation' || term.name !== 'member') return undefined;
    const [object, key] = term.operands;
    const isArgument = object?.kind === 'global' && object.of === 'args' && key?.kind === 'constant';
    const name = isArgument ? String(key.value) : undefined;
    return name !== undefined && this.#options.isData(name) ? name : undefined;
  }

  #operation(term: Operation): string {
    const operands = ordered(term).map((operand) => this.#label(operand));
    return this.#define(
      `${term.name} ${term.keys ? JSON.stringify(orderedKeys(term)) : ''} ${operands.join(' ')}`,
    );
  }

  #lambda({ name, operands }: Operation): string {
    const params = operands.slice(0, -1);
    this.#depth += 1;
    params.forEach((param, at) => {
      if (param.kind === 'variable') this.#variables.set(param.of, `p${this.#depth}.${at}`);
    });
    const body = this.#label(operands.at(-1) as Term);
    this.#depth -= 1;
    return this.#define(`${name} ${body}`);
  }

  #define(text: string): string {
    const known = this.#labels.get(text);
    if (known) return known;
    const label = `t${this.#labels.size}`;
    this.#labels.set(text, label);
    this.#line(`${label} = ${text}`);
    return label;
  }
}

/** Sorts the operands by key, since the order of keys does not count; none moves across a spread. */
function ordered(term: Operation): readonly Term[] {
  return term.keys ? orderOf(term.keys).map((at) => term.operands[at] as Term) : term.operands;
}

function orderedKeys(term: Operation): (string | null)[] {
  const { keys = [] } = term;
  return orderOf(keys).map((at) => keys[at] ?? null);
}

function orderOf(keys: readonly (string | null)[]): number[] {
  const order: number[] = [];
  let segment: number[] = [];
  const close = () => {
    order.push(...segment.sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1)));
    segment = [];
  };
  keys.forEach((key, at) => {
    if (key !== null) segment.push(at);
    else {
      close();
      order.push(at);
    }
  });
  close();
  return order;
}
