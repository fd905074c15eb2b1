import type { Json } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';
import type { LocalNames } from './local-names.ts';
import type { ProcedureCall, Style } from './procedure.ts';
import type { ArgumentTexts, CallWriter } from './write-calls.ts';
import type { ValueWriter } from './write-values.ts';

/** Whether two calls can be two rounds of one loop. */
export function isLoopable(one: ProcedureCall, other: ProcedureCall | undefined): boolean {
  if (!other || one.server !== other.server || one.tool !== other.tool) return false;
  const [keys, others] = [Object.keys(one.args), Object.keys(other.args)];
  const isLiteral = [...Object.values(one.args), ...Object.values(other.args)].every(
    (value) => 'literal' in value,
  );
  return (
    isLiteral && keys.length > 0 && keys.length === others.length && keys.every((key) => others.includes(key))
  );
}

/** Writes calls of one tool as a loop over a list of their arguments. */
export class LoopWriter {
  readonly #style: Style;
  readonly #choices: Choices;
  readonly #names: LocalNames;
  readonly #values: ValueWriter;
  readonly #calls: CallWriter;

  constructor(style: Style, choices: Choices, names: LocalNames, values: ValueWriter, calls: CallWriter) {
    this.#style = style;
    this.#choices = choices;
    this.#names = names;
    this.#values = values;
    this.#calls = calls;
  }

  /** Returns the lines, and the name of the list of results if they are used. */
  write(calls: readonly ProcedureCall[], used: boolean): { lines: string[]; results: string | undefined } {
    const [first] = calls as [ProcedureCall];
    const keys = Object.keys(first.args);
    const rounds = calls.map(({ args }) => keys.map((key) => (args[key] as { literal: Json }).literal));
    const form = this.#form(keys, rounds);
    const list = `[${form.items.join(', ')}]`;
    const declared = this.#choices.maybe(60) ? this.#names.fresh('items', 'list') : undefined;
    const lines = declared === undefined ? [] : [`const ${declared} = ${list};`];
    const over = declared ?? list;
    const results = used
      ? this.#names.fresh(this.#choices.one(['results', 'outputs']), 'results')
      : undefined;
    const call = (args: ArgumentTexts) => this.#calls.call(first, args);
    const keep = (text: string) =>
      results === undefined ? `await ${text};` : `${results}.push(await ${text});`;
    if (this.#style.loops === 'map' || this.#style.loops === 'async map') {
      const arrow =
        this.#style.loops === 'map'
          ? `(${form.pattern}) => ${call(form.args)}`
          : `async (${form.pattern}) => {\n  const one = await ${call(form.args)};\n  return one;\n}`;
      const mapped = `await Promise.all(${over}.map(${arrow}))`;
      return {
        lines: [...lines, results === undefined ? `${mapped};` : `const ${results} = ${mapped};`],
        results,
      };
    }
    if (results !== undefined)
      lines.push(`const ${results}${this.#style.types === 'none' ? '' : ': any[]'} = [];`);
    if (this.#style.loops === 'for index') {
      const listed = declared ?? this.#names.fresh('items', 'list');
      if (declared === undefined) lines.push(`const ${listed} = ${list};`);
      const args = keys.map((key) => [key, form.isPlain ? `${listed}[i]` : `${listed}[i].${key}`] as const);
      const body = keep(call(args));
      return { lines: [...lines, `for (let i = 0; i < ${listed}.length; i++) {`, `  ${body}`, '}'], results };
    }
    const isIndexed = this.#style.loops === 'entries';
    const head = isIndexed
      ? `for (const [i, ${form.pattern}] of ${over}.entries()) {`
      : `for (const ${form.pattern} of ${over}) {`;
    return { lines: [...lines, head, `  ${keep(call(form.args))}`, '}'], results };
  }

  /** The items of the list, what the loop calls an item, and the arguments within it. */
  #form(
    keys: readonly string[],
    rounds: readonly (readonly Json[])[],
  ): { items: string[]; pattern: string; args: ArgumentTexts; isPlain: boolean } {
    const text = (value: Json) => this.#values.literal(value);
    const varying = keys.filter(
      (_, at) => new Set(rounds.map((round) => JSON.stringify(round[at]))).size > 1,
    );
    const isVarying = this.#style.loops === 'for of varying' && varying.length === 1;
    if (keys.length === 1 || isVarying) {
      const key = isVarying ? (varying[0] as string) : (keys[0] as string);
      const at = keys.indexOf(key);
      const name = this.#names.fresh(key, 'item');
      const args = keys.map(
        (one, index) => [one, one === key ? name : text(rounds[0]?.[index] as Json)] as const,
      );
      return { items: rounds.map((round) => text(round[at] as Json)), pattern: name, args, isPlain: true };
    }
    if (this.#style.loops === 'for of tuples') {
      const names = keys.map((key) => this.#names.fresh(key, 'item'));
      const args = keys.map((key, at) => [key, names[at] as string] as const);
      const items = rounds.map((round) => `[${round.map(text).join(', ')}]`);
      return { items, pattern: `[${names.join(', ')}]`, args, isPlain: false };
    }
    const safe = keys.map((key) => this.#values.key(key));
    const items = rounds.map(
      (round) => `{ ${safe.map((key, at) => `${key}: ${text(round[at] as Json)}`).join(', ')} }`,
    );
    if (this.#choices.maybe(50) && keys.every((key) => /^[a-z]\w*$/i.test(key))) {
      const names = keys.map((key) => this.#names.fresh(key, 'item'));
      const pattern = keys.map((key, at) => (key === names[at] ? key : `${key}: ${names[at]}`)).join(', ');
      const args = keys.map((key, at) => [key, names[at] as string] as const);
      return { items, pattern: `{ ${pattern} }`, args, isPlain: false };
    }
    const name = this.#names.fresh('item', 'item');
    return {
      items,
      pattern: name,
      args: keys.map((key) => [key, `${name}.${key}`] as const),
      isPlain: false,
    };
  }
}
