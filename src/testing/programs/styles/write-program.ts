import { isReadOnlyTool, type Json } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';
import { LocalNames } from './local-names.ts';
import type { Procedure, ProcedureCall, Style } from './procedure.ts';
import { type ArgumentTexts, CallWriter, property } from './write-calls.ts';
import { isLoopable, LoopWriter } from './write-loops.ts';
import { ValueWriter } from './write-values.ts';

export interface WrittenProgram {
  readonly source: string;
  /** The behaviour beyond the procedure; programs of one procedure and one behaviour do the same. */
  readonly behaviour: string;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Writes a program for a procedure in a style. */
export function writeProgram(procedure: Procedure, style: Style, choices: Choices): WrittenProgram {
  return new ProgramWriter(procedure, style, choices).write();
}

class ProgramWriter {
  readonly #procedure: Procedure;
  readonly #style: Style;
  readonly #choices: Choices;
  readonly #names: LocalNames;
  readonly #values: ValueWriter;
  readonly #calls: CallWriter;
  readonly #body: string[] = [];
  /** How to name the result of each call. */
  readonly #results = new Map<number, string>();
  /** How to name a part of a result that has a name of its own. */
  readonly #fields = new Map<string, string>();
  #guard: Style['guard'];
  #guarded = -1;
  /** The calls under way together of which one may write: programs that make them in turn do something else. */
  readonly #overlaps: string[] = [];

  constructor(procedure: Procedure, style: Style, choices: Choices) {
    this.#procedure = procedure;
    this.#style = style;
    this.#choices = choices;
    this.#names = new LocalNames(style.names, choices);
    this.#values = new ValueWriter(style, choices, this.#names);
    this.#calls = new CallWriter(style, choices, this.#names, this.#values);
    this.#guard = style.guard;
    this.#placeGuard();
  }

  write(): WrittenProgram {
    const { calls } = this.#procedure;
    for (let at = 0; at < calls.length; ) at = this.#segment(at);
    const closing = this.#guard === 'else' ? ['} else {', '  return null;', '}'] : [];
    const inside = [...this.#body, ...this.#exit(), ...closing];
    const declared = [
      ...this.#values.declarations,
      ...this.#values.configDeclaration(),
      ...this.#calls.declarations,
    ];
    const lines = this.#wrap(declared, this.#catch(inside));
    return { source: lines.join('\n'), behaviour: this.#behaviour() };
  }

  #behaviour(): string {
    const { calls, result } = this.#procedure;
    // An object or list is never falsy, and no tool answers `undefined`.
    const isTruthy = result !== 'last' || typeof calls.at(-1)?.result === 'object';
    const isIdle = /^(?:rethrow|nullish)$/.test(this.#guard) || (isTruthy && this.#guard === 'ternary');
    // `else` and `early return` both return null before the other calls.
    const telling = this.#guard === 'else' ? 'early return' : this.#guard;
    const guard = isIdle ? 'none' : telling;
    const guarded = this.#guarded >= 0 ? ` ${this.#guarded}` : '';
    return [`${result} ${guard}${guarded}`, ...this.#overlaps].join(' ');
  }

  /** Puts the guard on the first result that passes it. Without such a result, or a link to test, there is no guard. */
  #placeGuard(): void {
    const { calls } = this.#procedure;
    const isTruthy = (at: number) => Boolean(calls[at]?.result);
    switch (this.#guard) {
      case 'throw':
      case 'early return':
      case 'else':
        this.#guarded = calls.findIndex((_, at) => isTruthy(at));
        break;
      case 'optional':
        this.#guarded = calls.findIndex((_, at) => this.#linksTo(at).some(({ path }) => path.length > 0));
        break;
      default:
        return;
    }
    if (this.#guarded < 0) this.#guard = 'none';
  }

  #linksTo(at: number): { path: readonly (string | number)[] }[] {
    return this.#procedure.calls.flatMap(({ args }) =>
      Object.values(args).flatMap((value) => ('from' in value && value.from === at ? [value] : [])),
    );
  }

  /** Whether a result is needed as a whole. */
  #isKept(at: number): boolean {
    const isLast = at === this.#procedure.calls.length - 1;
    const isReturned = isLast || this.#procedure.result === 'object' || this.#procedure.result === 'list';
    return isReturned || at === this.#guarded;
  }

  #isUsed(at: number): boolean {
    return this.#isKept(at) || this.#linksTo(at).length > 0;
  }

  /** Writes the next calls: a loop, calls under way together, or one call. Returns where to go on. */
  #segment(at: number): number {
    const { calls } = this.#procedure;
    let end = at + 1;
    if (this.#style.loops !== 'unrolled') {
      while (isLoopable(calls[at] as ProcedureCall, calls[end])) end++;
      if (end - at > 1) return this.#loop(at, end);
    }
    if (this.#style.parallel !== 'in turn') {
      while (end < calls.length && !this.#dependsOn(end, at) && end <= this.#lastTogether(at)) end++;
      if (end - at > 1) return this.#together(at, end);
    }
    this.#single(at);
    return at + 1;
  }

  /** A guard stands between two calls, so those after it wait for it. */
  #lastTogether(at: number): number {
    return this.#guarded >= at ? this.#guarded : Number.POSITIVE_INFINITY;
  }

  #dependsOn(call: number, first: number): boolean {
    const values = Object.values(this.#procedure.calls[call]?.args ?? {});
    return values.some((value) => 'from' in value && value.from >= first);
  }

  #single(at: number): void {
    const call = this.#procedure.calls[at] as ProcedureCall;
    this.#noise(call, at);
    const text = this.#call(at);
    const isLast = at === this.#procedure.calls.length - 1;
    const isInline = this.#style.exit.startsWith('inline') && isLast && this.#procedure.result === 'last';
    if (isInline && this.#guard !== 'ternary' && this.#guarded !== at) {
      // In a try block, a call that is returned without `await` fails outside of it.
      const isCaught = this.#guard === 'rethrow' || this.#guard.endsWith('failure');
      const isBare = this.#style.exit === 'inline without await' && !isCaught && this.#guard !== 'nullish';
      this.#results.set(at, isBare ? text : `await ${text}`);
      return;
    }
    const isChained = this.#style.results === 'then' && this.#isUsed(at);
    this.#bind(at, isChained ? `await ${text}.then((value) => value)` : `await ${text}`);
  }

  #bind(at: number, awaited: string): void {
    if (!this.#isUsed(at)) {
      this.#body.push(`${awaited};`);
      return;
    }
    const fields = this.#isKept(at) || this.#guard === 'optional' ? undefined : this.#fieldNames(at);
    if (fields) {
      const pattern = fields.map(({ key, name }) => property(this.#values.key(key), name)).join(', ');
      this.#body.push(`const { ${pattern} } = ${awaited};`);
      return;
    }
    const name = this.#resultName(at);
    const type = this.#style.types === 'annotated' ? ': any' : '';
    if (this.#style.results === 'assigned') this.#body.push(`let ${name}${type};`, `${name} = ${awaited};`);
    else this.#body.push(`${this.#style.results === 'let' ? 'let' : 'const'} ${name}${type} = ${awaited};`);
    this.#results.set(at, name);
    if (this.#style.results === 'field const' && this.#guard !== 'optional') {
      for (const { path } of this.#linksTo(at)) {
        const key = `${at} ${JSON.stringify(path)}`;
        if (path.length === 0 || this.#fields.has(key)) continue;
        const field = this.#names.fresh(String(path.at(-1)), 'field');
        this.#body.push(`const ${field} = ${access(name, path)};`);
        this.#fields.set(key, field);
      }
    }
    this.#guardHere(at, name);
  }

  /** Names the parts of a result that later calls use, if destructuring reaches them all. */
  #fieldNames(at: number): { key: string; name: string }[] | undefined {
    if (this.#style.results !== 'destructured' && this.#style.results !== 'renamed') return undefined;
    const links = this.#linksTo(at);
    const keys = new Set(links.map(({ path: [key] }) => key));
    if (
      links.length === 0 ||
      !links.every(({ path }) => typeof path[0] === 'string' && IDENTIFIER.test(path[0]))
    )
      return undefined;
    return [...keys].map((key) => {
      const about = this.#style.results === 'renamed' ? `found_${key}` : String(key);
      const name = this.#names.fresh(about, 'field');
      this.#fields.set(`${at} ${JSON.stringify([key])}`, name);
      return { key: String(key), name };
    });
  }

  #resultName(at: number): string {
    const { tool } = this.#procedure.calls[at] as ProcedureCall;
    return this.#names.fresh(this.#choices.one(['result', `${tool}_result`, 'response', `r${at + 1}`]), 'r');
  }

  #call(at: number): string {
    const call = this.#procedure.calls[at] as ProcedureCall;
    const args = this.#arguments(at);
    const isWhole = this.#style.values === 'argument objects';
    if ((!isWhole && this.#style.values !== 'spread objects') || args.length === 0)
      return this.#calls.call(call, args);
    const name = this.#names.fresh(`${call.tool}_args`, 'input');
    // The links stay in the call, so that they are read when it is made.
    const isLiteral = ([key]: ArgumentTexts[number]) => 'literal' in (call.args[key] as object);
    const shared = isWhole ? args : args.filter(isLiteral);
    this.#body.push(`const ${name} = ${this.#calls.object(shared)};`);
    const rest = args
      .filter((argument) => !shared.includes(argument))
      .map(([key, text]) => `, ${this.#values.key(key)}: ${text}`);
    return this.#calls.call(call, args, isWhole ? name : `{ ...${name}${rest.join('')} }`);
  }

  #arguments(at: number): ArgumentTexts {
    const { tool, args } = this.#procedure.calls[at] as ProcedureCall;
    return Object.entries(args).map(([key, value]) => {
      if ('literal' in value)
        return [key, this.#values.argument(value.literal, key, `${tool}_${at + 1}`)] as const;
      return [key, this.#link(value.from, value.path)] as const;
    });
  }

  #link(from: number, path: readonly (string | number)[]): string {
    const whole = this.#fields.get(`${from} ${JSON.stringify(path)}`);
    if (whole !== undefined) return whole;
    const first = this.#fields.get(`${from} ${JSON.stringify(path.slice(0, 1))}`);
    if (first !== undefined) return access(first, path.slice(1));
    return access(
      this.#results.get(from) as string,
      path,
      this.#guard === 'optional' && from === this.#guarded,
    );
  }

  #noteOverlap(at: number, end: number): void {
    const names = this.#procedure.calls.slice(at, end).map(({ tool }) => tool);
    if (!names.every((name) => isReadOnlyTool({ name }))) this.#overlaps.push(`together ${at}-${end}`);
  }

  #loop(at: number, end: number): number {
    const calls = this.#procedure.calls.slice(at, end);
    const used = calls.some((_, index) => this.#isUsed(at + index));
    const writer = new LoopWriter(this.#style, this.#choices, this.#names, this.#values, this.#calls);
    const { lines, results } = writer.write(calls, used);
    if (lines.some((line) => line.includes('Promise.all'))) this.#noteOverlap(at, end);
    this.#body.push(...lines);
    for (const index of calls.keys()) {
      if (results !== undefined) this.#results.set(at + index, `${results}[${index}]`);
      if (at + index === this.#guarded) this.#guardHere(at + index, `${results}[${index}]`);
    }
    return end;
  }

  #together(at: number, end: number): number {
    this.#noteOverlap(at, end);
    const ats = Array.from({ length: end - at }, (_, index) => at + index);
    const texts = ats.map((index) => this.#call(index));
    if (this.#style.parallel === 'started first') {
      const started = ats.map(() => this.#names.fresh('pending', 'p'));
      for (const [index, text] of texts.entries()) this.#body.push(`const ${started[index]} = ${text};`);
      const names = ats.map((index) => this.#resultName(index));
      this.#body.push(`const [${names.join(', ')}] = await Promise.all([${started.join(', ')}]);`);
      for (const [index, name] of names.entries()) this.#results.set(ats[index] as number, name);
    } else if (ats.some((index) => this.#isUsed(index))) {
      const names = ats.map((index) => this.#resultName(index));
      this.#body.push(`const [${names.join(', ')}] = await Promise.all([\n  ${texts.join(',\n  ')},\n]);`);
      for (const [index, name] of names.entries()) this.#results.set(ats[index] as number, name);
    } else {
      this.#body.push(`await Promise.all([${texts.join(', ')}]);`);
    }
    for (const index of ats)
      if (index === this.#guarded) this.#guardHere(index, this.#results.get(index) as string);
    return end;
  }

  #guardHere(at: number, name: string): void {
    if (at !== this.#guarded) return;
    if (this.#guard === 'throw') this.#body.push(`if (!${name}) {\n  throw new Error("no result");\n}`);
    if (this.#guard === 'early return') this.#body.push(`if (!${name}) return null;`);
    if (this.#guard === 'else') this.#body.push(`if (${name}) {`);
  }

  #exit(): string[] {
    const { calls, result } = this.#procedure;
    const last = this.#results.get(calls.length - 1) as string;
    const all = calls.map(({ tool }, at) => [`${tool}_${at + 1}`, this.#results.get(at) as string] as const);
    const forms = {
      last: last,
      wrapped: `{ done: true, result: ${last} }`,
      list: `[${all.map(([, name]) => name).join(', ')}]`,
      object: `{ ${all.map(([key, name]) => `${this.#values.key(key)}: ${name}`).join(', ')} }`,
    };
    const value = this.#guardedResult(forms[result]);
    if (this.#style.exit !== 'temporary') return [`return ${value};`];
    const name = this.#names.fresh(this.#choices.one(['output', 'final', 'summary']), 'output');
    return [`const ${name} = ${value};`, `return ${name};`];
  }

  #guardedResult(value: string): string {
    if (this.#guard === 'ternary') return `${value} ? ${value} : null`;
    return this.#guard === 'nullish' ? `(${value}) ?? null` : value;
  }

  #catch(lines: string[]): string[] {
    const caught: Partial<Record<Style['guard'], string>> = {
      rethrow: this.#choices.one(['throw error;', 'console.error(error);\n  throw error;']),
      'wrap failure': 'throw new Error("procedure failed: " + error.message);',
      'return failure': 'return { error: error.message };',
    };
    const handler = caught[this.#guard];
    if (handler === undefined) return lines;
    const type = this.#style.types === 'annotated' ? ': any' : '';
    return ['try {', ...lines, `} catch (error${type}) {`, `  ${handler}`, '}'];
  }

  #wrap(declared: readonly string[], lines: readonly string[]): string[] {
    const name = () => this.#names.fresh(this.#choices.one(['main', 'run', 'execute']), 'main');
    const all = [...declared, ...lines];
    switch (this.#style.wrapper) {
      case 'none':
        return all;
      case 'main function': {
        const main = name();
        return [...declared, `async function ${main}() {`, ...lines, '}', `return await ${main}();`];
      }
      case 'main arrow': {
        const main = name();
        return [`const ${main} = async () => {`, ...all, '};', `return ${main}();`];
      }
      case 'called at once':
        return ['return await (async () => {', ...all, '})();'];
      case 'whole function':
        return ['async () => {', ...all, '}'];
    }
  }

  #noise({ tool }: ProcedureCall, at: number): void {
    if (this.#style.noise === 'comments') this.#body.push(`// Step ${at + 1}: ${tool.replaceAll('_', ' ')}`);
    if (this.#style.noise === 'step log') this.#body.push(`console.log("step ${at + 1}: ${tool}");`);
    const before = this.#results.get(at - 1);
    if (this.#style.noise === 'console.log' && before !== undefined && !before.startsWith('await'))
      this.#body.push(`console.log("step ${at}", ${before});`);
  }
}

/** Returns the expression for a part of a value. */
export function access(value: string, path: readonly (string | number)[], optional = false): string {
  return path.reduce<string>((object, key) => {
    if (typeof key === 'number') return `${object}${optional ? '?.' : ''}[${key}]`;
    if (IDENTIFIER.test(key)) return `${object}${optional ? '?.' : '.'}${key}`;
    return `${object}${optional ? '?.' : ''}[${JSON.stringify(key)}]`;
  }, value);
}

/** The value at a path of a JSON value. */
export function valueAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (inside, key) =>
      inside !== null && typeof inside === 'object'
        ? (inside as Record<string | number, Json>)[key]
        : undefined,
    value,
  );
}
