import type { Json } from '../../json.ts';
import type { Link } from '../links/find-links.ts';
import type { Flow } from './program-reader.ts';
import type { CallStep, Step } from './steps.ts';
import type { Term, TermTable } from './terms.ts';

/** The values of the arguments that override links, by name. */
export type LinkValues = Readonly<Record<string, Json>>;

/** A flow in which links replace literals; an argument can override each link. */
export interface LinkedFlow extends Flow {
  /** The overriding arguments, each with the literal it replaced: `token` in `args.token ?? login.token`. */
  readonly links: LinkValues;
}

/**
 * Replaces each literal that an earlier call of the run returned with a link to that call's result. The caller passes
 * links only for straight-line programs, whose calls are made in the order of their steps.
 */
export function applyLinks(flow: Flow, links: readonly Link[], taken: ReadonlySet<string>): LinkedFlow {
  const writer = new LinkWriter(flow.terms, taken);
  const steps = flow.steps.map((step) => {
    const own = step.kind === 'call' ? links.filter(({ call }) => call === step.call) : [];
    return own.reduce((linked, link) => writer.apply(linked, link), step);
  });
  return { ...flow, steps, links: Object.fromEntries(writer.values) };
}

/** True if every step runs once, in order, whatever the calls return. */
export function isStraightLine(steps: readonly Step[]): boolean {
  return steps.every(({ kind }) => kind !== 'branch' && kind !== 'each' && kind !== 'attempt');
}

class LinkWriter {
  readonly values = new Map<string, Json>();
  readonly #terms: TermTable;
  readonly #taken: ReadonlySet<string>;

  constructor(terms: TermTable, taken: ReadonlySet<string>) {
    this.#terms = terms;
    this.#taken = taken;
  }

  apply(step: Step, { path, source }: Link): Step {
    const [argument, ...others] = (step as CallStep).args;
    const linked = argument && this.#replace(argument, path, source);
    return linked ? ({ ...step, args: [linked, ...others] } as CallStep) : step;
  }

  /** Replaces the literal at a path of an argument; undefined if something else stands there. */
  #replace(term: Term, [key, ...rest]: Link['path'], source: Link['source']): Term | undefined {
    if (key === undefined || term.kind !== 'operation') return undefined;
    const at = term.name === 'object' ? (term.keys?.lastIndexOf(String(key)) ?? -1) : Number(key);
    const inner = term.keys?.includes(null) ? undefined : term.operands[at];
    if (!inner || (term.name !== 'object' && term.name !== 'array')) return undefined;
    const literal = inner.kind === 'constant' && inner.origin !== undefined ? inner.value : undefined;
    const isHere = rest.length === 0 && literal !== undefined && typeof key === 'string';
    const next = isHere ? this.#link(key, literal, source) : this.#replace(inner, rest, source);
    if (!next) return undefined;
    const operands = term.operands.map((operand, index) => (index === at ? next : operand));
    return this.#terms.operation(term.name, operands, term.keys);
  }

  #link(key: string, literal: Json, { call, path }: Link['source']): Term {
    const name = this.#name(key);
    this.values.set(name, literal);
    const argument = this.#terms.member(this.#terms.global('args'), this.#terms.constant(name));
    const result = path.reduce(
      (object, part) => this.#terms.member(object, this.#terms.constant(part)),
      this.#terms.result(call),
    );
    return this.#terms.operation('logical ??', [argument, result]);
  }

  #name(key: string): string {
    const base = /^[A-Za-z_]\w{0,39}$/.test(key) && !(key in Object.prototype) ? key : 'linked_value';
    let name = base;
    for (let count = 2; this.#taken.has(name) || this.values.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }
}
