import type { Choices } from '../choices.ts';
import type { LocalNames } from './local-names.ts';
import type { ProcedureCall, Style } from './procedure.ts';
import type { ValueWriter } from './write-values.ts';

/** An argument by its key, as an expression. */
export type ArgumentTexts = readonly (readonly [key: string, text: string])[];

interface Helper {
  readonly name: string;
  readonly write: (args: ArgumentTexts) => string;
}

/** Writes single calls: how a tool is reached, and the functions of the program's own around it. */
export class CallWriter {
  /** The declarations of aliases and helpers. */
  readonly declarations: string[] = [];
  readonly #style: Style;
  readonly #choices: Choices;
  readonly #names: LocalNames;
  readonly #values: ValueWriter;
  readonly #helpers = new Map<string, Helper>();
  readonly #aliases = new Map<string, string>();

  constructor(style: Style, choices: Choices, names: LocalNames, values: ValueWriter) {
    this.#style = style;
    this.#choices = choices;
    this.#names = names;
    this.#values = values;
  }

  /** Returns the expression of a call, without `await`. */
  call(call: ProcedureCall, args: ArgumentTexts, whole?: string): string {
    if (this.#style.calls === 'in turn' || whole !== undefined)
      return `${this.#callee(call)}(${whole ?? this.object(args)})`;
    if (this.#style.calls === 'tool as value')
      return `${this.#caller()}(${this.#callee(call)}, ${this.object(args)})`;
    return this.#helper(call, args).write(args);
  }

  object(args: ArgumentTexts): string {
    if (args.length === 0) return '{}';
    const ordered = this.#ordered(args);
    const fields = ordered.map(([key, text]) => {
      const written = this.#values.key(key);
      return property(written, text);
    });
    return `{ ${fields.join(', ')} }`;
  }

  #ordered(args: ArgumentTexts): ArgumentTexts {
    if (this.#style.keys === 'reversed') return args.toReversed();
    return this.#style.keys === 'shuffled' ? this.#choices.shuffled(args) : args;
  }

  #callee({ server, tool }: ProcedureCall): string {
    switch (this.#style.access) {
      case 'dots':
        return `mcp.${server}.${tool}`;
      case 'brackets':
        return `mcp["${server}"]["${tool}"]`;
      case 'colon':
        return `mcp["${server}:${tool}"]`;
      case 'tool alias':
        return this.#alias(`${server}:${tool}`, tool, (name) =>
          name === tool ? `const { ${tool} } = mcp.${server};` : `const ${name} = mcp.${server}.${tool};`,
        );
      case 'server alias':
        return `${this.#alias(server, 'api', (name) => `const ${name} = mcp.${server};`)}.${tool}`;
      case 'destructured server':
        return `${this.#alias(server, server, (name) =>
          name === server ? `const { ${server} } = mcp;` : `const { ${server}: ${name} } = mcp;`,
        )}.${tool}`;
    }
  }

  #alias(identity: string, about: string, declare: (name: string) => string): string {
    const known = this.#aliases.get(identity);
    if (known !== undefined) return known;
    const name = this.#names.fresh(about, 'api');
    this.#aliases.set(identity, name);
    this.declarations.push(declare(name));
    return name;
  }

  /** The one helper that is handed the tool. */
  #caller(): string {
    const type = this.#style.types === 'annotated' ? ': any' : '';
    const body = this.#choices.one(['return tool(input);', 'const got = await tool(input);\n  return got;']);
    return this.#alias(
      ':caller',
      'invoke',
      (name) => `const ${name} = async (tool${type}, input${type}) => {\n  ${body}\n};`,
    );
  }

  #helper(call: ProcedureCall, args: ArgumentTexts): Helper {
    const keys = args.map(([key]) => key);
    const identity = `${call.server}:${call.tool}(${[...keys].sort().join()})`;
    const known = this.#helpers.get(identity);
    if (known) return known;
    const made = this.#makeHelper(call, keys, args);
    this.#helpers.set(identity, made);
    return made;
  }

  #makeHelper(call: ProcedureCall, keys: readonly string[], first: ArgumentTexts): Helper {
    const name = this.#names.fresh(
      this.#choices.one([call.tool, `do_${call.tool}`, `run_${call.tool}`]),
      'step',
    );
    const callee = this.#callee(call);
    const names = new Map(keys.map((key) => [key, this.#parameterName(key, callee)]));
    const inside = this.object(keys.map((key) => [key, names.get(key) as string]));
    const type = this.#style.types === 'annotated' ? ': any' : '';
    const byKey = (args: ArgumentTexts) =>
      keys.map((key) => args.find(([one]) => one === key)?.[1] as string);
    const plain = keys.map((key) => `${names.get(key)}${type}`).join(', ');
    switch (this.#style.calls) {
      case 'helper function':
        this.declarations.push(
          `async function ${name}(${plain}) {\n  ${this.#choices.one([
            `return await ${callee}(${inside});`,
            `return ${callee}(${inside});`,
            `const response = await ${callee}(${inside});\n  return response;`,
          ])}\n}`,
        );
        return { name, write: (args) => `${name}(${byKey(args).join(', ')})` };
      case 'object helper': {
        const fields = keys.map((key) => property(this.#values.key(key), names.get(key) as string));
        this.declarations.push(
          `const ${name} = async ({ ${fields.join(', ')} }${type}) => ${callee}(${inside});`,
        );
        return { name, write: (args) => `${name}(${this.object(args)})` };
      }
      case 'pass-through helper':
        this.declarations.push(`const ${name} = (options${type}) => ${callee}(options);`);
        return { name, write: (args) => `${name}(${this.object(args)})` };
      case 'default helper':
        return this.#defaultHelper(name, callee, inside, keys, names, first);
      default:
        this.declarations.push(
          `const ${name} = ${this.#choices.one([
            `(${plain}) => ${callee}(${inside})`,
            `async (${plain}) => await ${callee}(${inside})`,
            `async (${plain}) => {\n  return ${callee}(${inside});\n}`,
          ])};`,
        );
        return { name, write: (args) => `${name}(${byKey(args).join(', ')})` };
    }
  }

  /** The last parameter has a default, which a call with that very text leaves out. */
  #defaultHelper(
    name: string,
    callee: string,
    inside: string,
    keys: readonly string[],
    names: ReadonlyMap<string, string>,
    first: ArgumentTexts,
  ): Helper {
    const last = first.at(-1)?.[1];
    // A default is evaluated where the helper stands, so only a literal is safe there.
    const usual =
      last !== undefined && /^(?:"[^"\\]*"|-?\d+(?:\.\d+)?|true|false)$/.test(last) ? last : undefined;
    const parameters = keys.map((key, at) =>
      at === keys.length - 1 && usual !== undefined
        ? `${names.get(key)} = ${usual}`
        : (names.get(key) as string),
    );
    this.declarations.push(`const ${name} = async (${parameters.join(', ')}) => ${callee}(${inside});`);
    return {
      name,
      write: (args) => {
        const texts = keys.map((key) => args.find(([one]) => one === key)?.[1] as string);
        return `${name}(${(texts.at(-1) === usual ? texts.slice(0, -1) : texts).join(', ')})`;
      },
    };
  }

  /** A parameter may hide a name of the program, as in real code, but not the tool that its helper calls. */
  #parameterName(key: string, callee: string): string {
    const isUsable = /^[a-z]\w*$/i.test(key) && !/^(?:new|in|class|function|default|mcp)$/.test(key);
    const hides = callee.split(/\W/)[0] === key;
    return this.#style.names === 'by key' && isUsable && !hides ? key : this.#names.fresh(key, 'p');
  }
}

export function property(key: string, name: string): string {
  return key === name && /^[A-Za-z_$]/.test(key) ? name : `${key}: ${name}`;
}
