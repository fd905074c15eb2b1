import { referenceText } from '../references/rewrite-references.ts';
import { parse } from '../syntax/parse.ts';
import { CONSTANTS, NAMESPACES, PURE_CONSTRUCTORS, PURE_FUNCTIONS } from './builtins.ts';
import type { Flow } from './program-reader.ts';
import type { CallStep, Choice, Step } from './steps.ts';
import { constantUses, identifierOf, isDeclared, usedResults } from './term-uses.ts';
import type { Constant, Operation, Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

/** A longer program is unreadable, and terms such as `n = n + n` would double its text with every step. */
const MAX_TERMS = 5_000;

/** A program as plain steps. */
export interface PlainCode {
  readonly code: string;
  /** True if calls that the source makes concurrently are made one after the other here. */
  readonly isSerialised: boolean;
}

/**
 * Prints a flow as a plain program: first the constants with a name or several uses, then one statement per step.
 * Concurrent calls stay concurrent if all of them are read-only. Others are made one after the other: code that makes
 * them in sequence counts as the same procedure, and may rely on the order.
 */
export function printCode(flow: Flow, isReadOnly: (name: string) => boolean): PlainCode {
  const printer = new CodePrinter(flow, isReadOnly);
  return { code: printer.print(), isSerialised: printer.isSerialised };
}

const RESERVED = new Set(
  `arguments args as async await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let mcp new null of package pml private protected public return
  static super switch this throw true try typeof undefined var void while with yield console`.split(/\s+/),
);

class CodePrinter {
  readonly #flow: Flow;
  /** The calls whose result is used. */
  readonly #used: ReadonlySet<number>;
  readonly #taken = new Set([
    ...RESERVED,
    ...[...NAMESPACES, ...PURE_FUNCTIONS, ...PURE_CONSTRUCTORS, ...CONSTANTS].map(
      (path) => path.split('.')[0] as string,
    ),
  ]);
  /** The names of declared constants, by origin. */
  readonly #constants = new Map<string, string>();
  readonly #names = new Map<string, string>();
  /** The variables that hold terms which a statement has computed, by the term's id. */
  readonly #computed = new Map<number, string>();
  #printed = 0;

  isSerialised = false;
  readonly #isReadOnly: (name: string) => boolean;

  constructor(flow: Flow, isReadOnly: (name: string) => boolean) {
    this.#flow = flow;
    this.#isReadOnly = isReadOnly;
    this.#used = usedResults(flow.steps);
  }

  print(): string {
    const declarations = constantUses(this.#flow.steps, this.#flow.names)
      .filter(isDeclared)
      .map(({ origin, name, value }) => {
        const local = this.#free(name);
        this.#constants.set(origin, local);
        return `const ${local} = ${literal(value)};`;
      });
    const code = [...declarations, ...this.#steps(this.#flow.steps)].join('\n');
    // A program that is one expression returns its value.
    const last = this.#flow.steps.at(-1);
    const returnsNothing = last?.kind === 'return' && isUndefined(last.term);
    const { kind } = parse(code);
    return returnsNothing && kind === 'expression' ? `${code}\nreturn;` : code;
  }

  #steps(steps: readonly Step[]): string[] {
    const lines: string[] = [];
    for (let at = 0; at < steps.length; at += 1) {
      const step = steps[at] as Step;
      const isLast = at === steps.length - 1;
      if (step.kind === 'call') {
        const batch = this.#batchAt(steps, at);
        const after = steps[at + 1];
        lines.push(...(batch.length > 1 ? this.#batch(batch) : this.#call(step, after)));
        if (batch.length === 1 && isReturnOf(after, step)) at += 1;
        at += batch.length - 1;
      } else if (!(isLast && step.kind === 'return' && isUndefined(step.term))) {
        lines.push(...this.#step(step));
      } else if (steps !== this.#flow.steps) lines.push('return;');
    }
    return lines;
  }

  #call(step: CallStep, after: Step | undefined): string[] {
    const text = `await ${this.#callText(step)}`;
    if (isReturnOf(after, step)) return [`return ${text};`];
    if (!this.#used.has(step.call)) return [`${text};`];
    return [`const ${this.#nameResult(step)} = ${text};`];
  }

  /** The calls from this one on that are made together. */
  #batchAt(steps: readonly Step[], at: number): CallStep[] {
    const first = steps[at] as CallStep;
    const end = steps.findIndex(
      (step, next) => next > at && !(step.kind === 'call' && step.batch === first.batch),
    );
    const batch = steps.slice(at, end === -1 ? undefined : end) as CallStep[];
    if (batch.length === 1 || batch.every(({ name }) => this.#isReadOnly(name))) return batch;
    this.isSerialised = true;
    return [first];
  }

  #batch(batch: readonly CallStep[]): string[] {
    const calls = batch.map((step) => `  ${this.#callText(step)},`);
    if (!batch.some(({ call }) => this.#used.has(call))) return ['await Promise.all([', ...calls, ']);'];
    const names = batch.map((step) => (this.#used.has(step.call) ? this.#nameResult(step) : ''));
    return [`const [${names.join(', ')}] = await Promise.all([`, ...calls, ']);'];
  }

  #callText({ name, args }: CallStep): string {
    return `${referenceText(name)}(${args.map((term) => this.#bare(term)).join(', ')})`;
  }

  #nameResult({ call, name }: CallStep): string {
    return this.#declare(`r${call}`, identifierOf(name.split(/[:.@]/).filter(Boolean).at(-1) ?? 'result'));
  }

  #step(step: Exclude<Step, CallStep>): string[] {
    switch (step.kind) {
      case 'log':
        return [`console.${step.method}(${step.terms.map((term) => this.#bare(term)).join(', ')});`];
      case 'sample':
        return [`const ${this.#declare(`v${step.variable}`, 'now')} = ${this.#bare(step.term)};`];
      case 'evaluate': {
        const text = this.#bare(step.term);
        // Spreading throws if the value is not iterable.
        if (step.term.kind === 'operation' && step.term.name === 'spread') return [`void [${text}];`];
        const name = this.#free('value');
        this.#computed.set(step.term.id, name);
        return [`const ${name} = ${text};`];
      }
      case 'return':
      case 'throw':
        return [`${step.kind} ${this.#bare(step.term)};`];
      case 'branch': {
        const test = this.#bare(step.test);
        const variables = this.#declareChoices(step.choices);
        const yes = this.#block(step.yes, step.choices, 'first');
        const no = this.#block(step.no, step.choices, 'second');
        const alternative = no.length > 0 ? ['} else {', ...no] : [];
        return [...variables, `if (${test}) {`, ...yes, ...alternative, '}'];
      }
      case 'each':
        return this.#each(step);
      case 'attempt': {
        const variables = this.#declareChoices(step.choices);
        const body = this.#block(step.body, step.choices, 'first');
        const error = this.#declare(`v${step.error}`, 'error');
        const handler = this.#block(step.handler, step.choices, 'second');
        return [...variables, 'try {', ...body, `} catch (${error}) {`, ...handler, '}'];
      }
    }
  }

  #each(step: Extract<Step, { kind: 'each' }>): string[] {
    const list = this.#receiver(step.list);
    const item = this.#declare(`v${step.item}`, 'item');
    const [first] = step.collected;
    const isParallel = step.isParallel && callsIn(step.body).every(({ name }) => this.#isReadOnly(name));
    if (step.isParallel && !isParallel) this.isSerialised = true;
    if (isParallel && first && step.collected.length === 1) {
      const body = this.#block(step.body, [], 'first', (inner) => [`return ${inner(first.value)};`]);
      const name = this.#declare(`v${first.variable}`, 'results');
      return [`const ${name} = await Promise.all(${list}.map(async (${item}) => {`, ...body, '}));'];
    }
    const names = step.collected.map(({ variable }) => this.#declare(`v${variable}`, 'results'));
    const pushes = (inner: (term: Term) => string) =>
      step.collected.map(({ value }, at) => `${names[at]}.push(${inner(value)});`);
    const body = this.#block(step.body, [], 'first', pushes);
    return [...names.map((name) => `const ${name} = [];`), `for (const ${item} of ${list}) {`, ...body, '}'];
  }

  #declareChoices(choices: readonly Choice[]): string[] {
    return choices.map(({ variable }) => `let ${this.#declare(`v${variable}`, 'value')};`);
  }

  /** Prints steps inside braces. Names of values computed there are not seen after it. */
  #block(
    steps: readonly Step[],
    choices: readonly Choice[],
    side: 'first' | 'second',
    end: (print: (term: Term) => string) => string[] = () => [],
  ): string[] {
    const outside = new Map(this.#computed);
    const lines = this.#steps(steps);
    const assignments = choices.map(
      (choice) => `${this.#names.get(`v${choice.variable}`)} = ${this.#bare(choice[side])};`,
    );
    const last = end((term) => this.#bare(term));
    this.#computed.clear();
    for (const [id, name] of outside) this.#computed.set(id, name);
    return [...lines, ...assignments, ...last].map((line) => `  ${line}`);
  }

  // Terms

  /** A term where any expression may stand. */
  #bare(term: Term): string {
    this.#printed += 1;
    if (this.#printed > MAX_TERMS) throw new Unreadable('a program that would be too long');
    const computed = this.#computed.get(term.id);
    if (computed !== undefined) return computed;
    switch (term.kind) {
      case 'constant':
        return this.#constantName(term) ?? literal(term.value);
      case 'result':
      case 'variable': {
        const name = this.#names.get(`${term.kind === 'result' ? 'r' : 'v'}${term.of}`);
        if (name === undefined) throw new Unreadable('a value from another branch');
        return name;
      }
      case 'global':
        return String(term.of);
      case 'operation':
        return this.#operation(term);
    }
  }

  #constantName({ origin }: Constant): string | undefined {
    return origin === undefined ? undefined : this.#constants.get(origin);
  }

  /** A term as part of another: with parentheses if it needs them. */
  #term(term: Term): string {
    const text = this.#bare(term);
    const isName = this.#computed.has(term.id) || (term.kind === 'constant' && this.#constantName(term));
    const isCompound =
      term.kind === 'operation' && /^(?:unary|binary|logical|conditional|lambda|chain)/.test(term.name);
    return !isName && (isCompound || text.startsWith('-')) ? `(${text})` : text;
  }

  #operation(term: Operation): string {
    const { name, operands } = term;
    const [kind = '', ...rest] = name.split(' ');
    const detail = rest.join(' ');
    const [a, b, c] = operands as [Term, Term, Term];
    switch (kind) {
      case 'member':
        return `${this.#receiver(a)}${this.#access(b, false)}`;
      case 'optional':
        if (rest[0] === 'member') return `${this.#receiver(a)}${this.#access(b, true)}`;
        return `${this.#receiver(a)}?${rest[1]}(${this.#list(operands.slice(1))})`;
      case 'chain':
        return this.#bare(a);
      case 'item':
        return `[...${this.#term(a)}][${this.#bare(b)}]`;
      case 'object':
        return this.#object(term);
      case 'array':
        return `[${this.#list(operands)}]`;
      case 'spread':
        return `...${this.#term(a)}`;
      case 'template':
        return this.#template(operands);
      case 'unary':
        return `${detail}${/\w$/.test(detail) ? ' ' : ''}${this.#term(a)}`;
      case 'binary':
      case 'logical':
        return `${this.#term(a)} ${detail} ${this.#term(b)}`;
      case 'conditional':
        return `${this.#term(a)} ? ${this.#term(b)} : ${this.#term(c)}`;
      case 'regex':
        return detail;
      case 'new':
        return `new ${detail}(${this.#list(operands)})`;
      case 'lambda':
        return this.#lambda(operands);
      case 'call':
        if (!detail.startsWith('.')) return `${detail}(${this.#list(operands)})`;
        return `${this.#receiver(a)}${detail}(${this.#list(operands.slice(1))})`;
      default:
        throw new Unreadable(name);
    }
  }

  /** A term before a dot. */
  #receiver(term: Term): string {
    const text = this.#term(term);
    const isPlain =
      term.kind !== 'constant' && !(term.kind === 'operation' && /^(?:object|new)/.test(term.name));
    return isPlain || /^[A-Za-z_$(]/.test(text) ? text : `(${text})`;
  }

  #access(key: Term, isOptional: boolean): string {
    if (key.kind !== 'constant') return `${isOptional ? '?.' : ''}[${this.#bare(key)}]`;
    const text = String(key.value);
    if (/^[A-Za-z_$][\w$]*$/.test(text)) return `${isOptional ? '?.' : '.'}${text}`;
    return `${isOptional ? '?.' : ''}[${/^(?:0|[1-9]\d{0,8})$/.test(text) ? text : JSON.stringify(text)}]`;
  }

  #list(terms: readonly Term[]): string {
    return terms.map((term) => this.#bare(term)).join(', ');
  }

  #object({ keys = [], operands }: Operation): string {
    if (keys.length === 0) return '{}';
    const entries = keys.map((key, at) => {
      const value = this.#bare(operands[at] as Term);
      if (key === null) return `...${this.#term(operands[at] as Term)}`;
      if (key === value) return key;
      return `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${value}`;
    });
    return `{ ${entries.join(', ')} }`;
  }

  #template(parts: readonly Term[]): string {
    const text = parts.map((part) => {
      const isPlain =
        part.kind === 'constant' && !this.#constants.has(part.origin ?? '') && typeof part.value === 'string';
      if (!isPlain) return `\${${this.#bare(part)}}`;
      return JSON.stringify(part.value).slice(1, -1).replaceAll('\\"', '"').replace(/[`$]/g, '\\$&');
    });
    return `\`${text.join('')}\``;
  }

  #lambda(operands: readonly Term[]): string {
    const names = operands
      .slice(0, -1)
      .map((param) => this.#declare(`v${(param as { of: number }).of}`, 'item'));
    const body = this.#bare(operands.at(-1) as Term);
    for (const name of names) this.#taken.delete(name);
    return `(${names.join(', ')}) => ${body.startsWith('{') ? `(${body})` : body}`;
  }

  #declare(what: string, wanted: string): string {
    const name = this.#free(wanted);
    this.#names.set(what, name);
    return name;
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${wanted}_${count}`;
    this.#taken.add(name);
    return name;
  }
}

function callsIn(steps: readonly Step[]): CallStep[] {
  return steps.flatMap((step) => {
    switch (step.kind) {
      case 'call':
        return [step];
      case 'branch':
        return callsIn([...step.yes, ...step.no]);
      case 'each':
        return callsIn(step.body);
      case 'attempt':
        return callsIn([...step.body, ...step.handler]);
      default:
        return [];
    }
  });
}

function isReturnOf(step: Step | undefined, { call }: CallStep): boolean {
  return step?.kind === 'return' && step.term.kind === 'result' && step.term.of === call;
}

function isUndefined(term: Term): boolean {
  return term.kind === 'constant' && term.value === undefined;
}

function literal(value: Constant['value']): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
