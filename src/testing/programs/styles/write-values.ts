import type { Json } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';
import type { LocalNames } from './local-names.ts';
import type { Style } from './procedure.ts';

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Writes literals, in place or as constants above. */
export class ValueWriter {
  /** The declarations that stand before the calls. */
  readonly declarations: string[] = [];
  readonly #style: Style;
  readonly #choices: Choices;
  readonly #names: LocalNames;
  readonly #distinct = new Map<string, string>();
  /** The fields of the config object, by group; declared at the end, when all are known. */
  readonly #config = new Map<string, Map<string, string>>();
  readonly #configName: string;
  readonly #destructured: string[] = [];
  readonly #tuple: [name: string, text: string][] = [];

  constructor(style: Style, choices: Choices, names: LocalNames) {
    this.#style = style;
    this.#choices = choices;
    this.#names = names;
    this.#configName = style.values.includes('config')
      ? names.fresh(choices.one(['config', 'params', 'settings', 'CONFIG']))
      : '';
  }

  /** Returns the expression for an argument; `group` is the call that it belongs to. */
  argument(value: Json, key: string, group: string): string {
    switch (this.#style.values) {
      case 'literal':
      case 'argument objects':
      case 'spread objects':
        return this.literal(value);
      case 'tuple consts': {
        const name = this.#names.fresh(key);
        this.#tuple.push([name, this.literal(value)]);
        return name;
      }
      case 'consts':
        return this.constant(key, this.literal(value), value);
      case 'distinct consts': {
        const text = JSON.stringify(value);
        const known = this.#distinct.get(text) ?? this.constant(key, this.literal(value), value);
        this.#distinct.set(text, known);
        return known;
      }
      case 'config':
        return `${this.#configName}.${this.#field('', key, this.literal(value))}`;
      case 'nested config':
        return `${this.#configName}.${group}.${this.#field(group, key, this.literal(value))}`;
      case 'destructured config': {
        const field = this.#field('', key, this.literal(value));
        const name = this.#names.fresh(key);
        this.#destructured.push(name === field ? name : `${field}: ${name}`);
        return name;
      }
    }
  }

  constant(about: string, text: string, value?: Json): string {
    const name = this.#names.fresh(about);
    const word = this.#style.results === 'let' ? 'let' : 'const';
    this.declarations.push(`${word} ${name}${this.type(value)} = ${text}${this.#assertion(value)};`);
    return name;
  }

  /** The declaration of the config object or of the tuple, if there is one. */
  configDeclaration(): string[] {
    if (this.#tuple.length > 0) {
      const [names, texts] = [this.#tuple.map(([name]) => name), this.#tuple.map(([, text]) => text)];
      return [`const [${names.join(', ')}] = [${texts.join(', ')}];`];
    }
    if (this.#config.size === 0) return [];
    const groups = [...this.#config].map(([group, fields]) => {
      const inside = [...fields].map(([key, text]) => `${key}: ${text}`).join(', ');
      return group === '' ? inside : `${group}: { ${inside} }`;
    });
    const object = `{ ${groups.join(', ')} }`;
    if (this.#style.values === 'destructured config')
      return [`const { ${this.#destructured.join(', ')} } = ${object};`];
    return [`const ${this.#configName} = ${object}${this.#style.types === 'asserted' ? ' as const' : ''};`];
  }

  literal(value: Json): string {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.literal(item)).join(', ')}]`;
    if (value !== null && typeof value === 'object') {
      const fields = Object.entries(value).map(
        ([key, field]) => `${this.key(key)}: ${this.literal(field as Json)}`,
      );
      return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
    }
    return JSON.stringify(value);
  }

  key(name: string): string {
    return IDENTIFIER.test(name) && this.#style.keys !== 'quoted' ? name : JSON.stringify(name);
  }

  type(value: Json | undefined): string {
    if (this.#style.types !== 'annotated' || value === undefined) return '';
    if (Array.isArray(value)) return ': any[]';
    return value === null || typeof value === 'object' ? ': any' : `: ${typeof value}`;
  }

  #assertion(value: Json | undefined): string {
    return this.#style.types === 'asserted' && typeof value === 'string' ? ' as string' : '';
  }

  #field(group: string, key: string, text: string): string {
    const fields = this.#config.get(group) ?? new Map<string, string>();
    this.#config.set(group, fields);
    const base = key.replace(/\W+/g, '_').replace(/^(?=\d)/, '_');
    let name = base;
    for (let count = 2; fields.has(name); count++) name = `${base}${count}`;
    fields.set(name, text);
    return name;
  }

  #text(value: string): string {
    const quoted = JSON.stringify(value);
    const cut = this.#cut(value);
    switch (this.#style.texts) {
      case 'plain':
        return quoted;
      case 'single quotes':
        return `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
      case 'template':
        return template(value);
      case 'concatenation':
        return cut ? `${JSON.stringify(value.slice(0, cut))} + ${JSON.stringify(value.slice(cut))}` : quoted;
      case 'template parts': {
        if (!cut || !this.#choices.maybe(70)) return quoted;
        const name = this.#names.fresh(this.#choices.one(['base', 'prefix', 'part']), 'part');
        this.declarations.push(`const ${name} = ${JSON.stringify(value.slice(0, cut))};`);
        return `\`\${${name}}${template(value.slice(cut)).slice(1)}`;
      }
    }
  }

  /** Where to cut a text in two, at a place where a person would; 0 if there is none. */
  #cut(value: string): number {
    const at = value.search(/[/.@ :-]/);
    return at > 0 && at < value.length - 1 ? at : 0;
  }
}

function template(value: string): string {
  return `\`${value.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${').replaceAll('\r', '\\r')}\``;
}
