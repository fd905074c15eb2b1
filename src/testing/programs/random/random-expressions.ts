import type { Choices } from '../choices.ts';
import type { Kind, RandomScope } from './random-scope.ts';

const TOOLS = ['fs:read', 'fs:write', 'crm:find', 'crm:note', 'mail:send'];
const KEYS = ['path', 'id', 'text', 'limit', 'name'];
const FIELDS = ['a', 'b', 'name'];
const NUMBERS = ['1', '2', '3', '10', '0', '-1', '0.5', '1e21', '-0', '0x10', '1_000'];

/** Writes random expressions. The first of each list of ways is the simplest. */
export class RandomExpressions {
  readonly choices: Choices;
  readonly scope: RandomScope;
  /** Makes the data of the program: two programs of the same choices and other data differ in nothing else. */
  readonly #data: (at: number) => string;
  #fuel: number;
  #syncDepth = 0;
  #depth = 0;

  constructor(choices: Choices, scope: RandomScope, data: (at: number) => string, fuel = 120) {
    this.choices = choices;
    this.scope = scope;
    this.#data = data;
    this.#fuel = fuel;
  }

  /** True until the program is large enough. */
  get hasFuel(): boolean {
    return this.#fuel > 0;
  }

  /** Picks one of the ways; when the program is large enough, one of the first. */
  way<T>(ways: readonly (() => T)[]): T {
    this.#fuel -= 1;
    return this.choices.one(this.hasFuel ? ways : ways.slice(0, 2))();
  }

  /** Like `way`, within an expression: the deeper, the simpler. */
  #choose(ways: readonly (() => string)[]): string {
    this.#depth += 1;
    const isSimple = this.#depth > 3 || (this.#depth > 1 && this.choices.below(2) === 0);
    const written = this.way(isSimple ? ways.slice(0, 2) : ways);
    this.#depth -= 1;
    return written;
  }

  variable(kind: Kind, otherwise: () => string): string {
    return this.scope.pick(kind) ?? otherwise();
  }

  quoted(): string {
    return JSON.stringify(this.#data(this.choices.below(6)));
  }

  text(): string {
    return this.#choose([
      () => this.quoted(),
      () => this.variable('text', () => this.quoted()),
      () => `${this.result()}.name`,
      () => `\`${this.#data(this.choices.below(6))}-\${${this.text()}}\``,
      () => `${this.text()} + ${this.text()}`,
      () => `${this.result()}?.${this.choices.one(['name', 'id', 'nested?.name', 'nested.id'])}`,
      () => `${held(this.object())}.a`,
      () => `(${this.truth()} ? ${this.text()} : ${this.text()})`,
      () => `(${this.text()} ?? ${this.quoted()})`,
      () => `(${this.result()}.name || ${this.quoted()})`,
      () => `${held(this.list())}${this.choices.one(['[0]', '[1]', '.at(-1)'])}`,
      () => `${held(this.list())}.join("-")`,
      () => `String(${this.number()})`,
      () => `${held(this.text())}.toUpperCase()`,
      () => `JSON.stringify(${this.object()})`,
      () => `${held(this.object())}[${this.choices.one(['"a"', '"b"', this.text()])}]`,
      () => `(() => ${this.sync(() => this.text())})()`,
      () => `(args.${this.choices.one(KEYS)} ?? ${this.quoted()})`,
      () => `typeof ${this.anything()}`,
      () => `\`\${{ toString() { return ${this.sync(() => this.text())}; } }}\``,
      () => '"$' + '{a}"',
      () => '"\\u0061\\n\\"\\\\"',
    ]);
  }

  number(): string {
    return this.#choose([
      () => this.choices.one(NUMBERS),
      () => this.variable('number', () => '1'),
      () => `${this.number()} + ${this.number()}`,
      () => this.stepped(),
      () => `${this.result()}.count`,
      () => `${held(this.list())}.length`,
      () => `-${this.variable('number', () => '2')}`,
      () => `Number(${this.text()})`,
      () => 'Date.now()',
      () => 'Math.random()',
      () => 'new Date().getTime()',
      () => `(${this.number()}, ${this.number()})`,
    ]);
  }

  /** Changes a variable while its value is taken: the order of evaluation shows. */
  stepped(): string {
    const name = this.scope.pick('number', true);
    if (name === undefined) return '1';
    return this.choices.one([`${name}++`, `++${name}`, `(${name} += 2)`, `(${name} = ${name} * 2)`]);
  }

  truth(): string {
    return this.#choose([
      () => `${this.result()}.ok`,
      () => `${this.number()} > ${this.number()}`,
      () => `!${this.result()}?.ok`,
      () => `${this.text()} === ${this.text()}`,
      () => `${this.result()} == null`,
      () => `(${this.truth()} && ${this.truth()})`,
      () => `(${this.truth()} || ${this.truth()})`,
      () => `${held(this.list())}.includes(${this.text()})`,
      () => `Array.isArray(${this.anything()})`,
      () => `"name" in Object(${this.result()})`,
    ]);
  }

  list(): string {
    return this.#choose([
      () => `[${this.text()}, ${this.text()}]`,
      () => this.variable('list', () => `[${this.quoted()}, ${this.quoted()}]`),
      () => `(${this.result()}.items ?? [])`,
      () => `[...${this.list()}, ${this.text()}]`,
      () => `${held(this.list())}.map((one) => one + ${this.sync(() => this.text())})`,
      () => `${held(this.list())}.filter((one) => one !== ${this.sync(() => this.text())})`,
      () => `${held(this.list())}.slice(1)`,
      () => `Object.keys(${this.object()})`,
      () => `Object.values(${this.object()}).map(String)`,
      () => `${held(this.list())}.${this.choices.one(['reverse()', 'sort()', 'concat("z")', 'flat()'])}`,
      () => `Array.from(new Set(${this.list()}))`,
      () => '[]',
    ]);
  }

  object(): string {
    return this.#choose([
      () => `{ a: ${this.text()}, b: ${this.number()} }`,
      () => this.variable('object', () => `{ a: ${this.quoted()} }`),
      () => `{ b: ${this.number()}, a: ${this.text()} }`,
      () => `{ ...${this.object()}, a: ${this.text()} }`,
      () => `{ a: ${this.text()}, ...${this.object()} }`,
      () => `{ [${this.text()}]: ${this.text()} }`,
      () => `{ get a() { return ${this.sync(() => this.text())}; }, b: ${this.number()} }`,
      () => `Object.assign({}, ${this.object()}, { name: ${this.text()} })`,
      () => `structuredClone(${this.object()})`,
      () => `{ a: { b: ${this.text()} }, name: ${this.list()} }`,
      () => `{ a: ${this.text()}, a: ${this.text()} }`,
      () => `{ ...(${this.truth()} && { a: ${this.text()} }) }`,
      () => `{ ...(${this.truth()} ? ${this.object()} : {}) }`,
      () => `{ "__proto__": ${this.object()}, a: ${this.text()} }`,
      () => `Object.fromEntries([["a", ${this.text()}], ["b", ${this.number()}]])`,
      () => `JSON.parse(JSON.stringify(${this.object()}))`,
      () => `Object.freeze(${this.object()})`,
    ]);
  }

  /** Writes the body of a function that is not async. */
  sync<T>(write: () => T): T {
    this.#syncDepth += 1;
    const written = write();
    this.#syncDepth -= 1;
    return written;
  }

  result(): string {
    return this.variable('result', () =>
      this.#syncDepth > 0 ? `({ name: ${this.quoted()}, ok: true })` : `(await ${this.call()})`,
    );
  }

  anything(): string {
    return this.#choose([
      () => this.text(),
      () => this.number(),
      () => this.result(),
      () => this.object(),
      () => this.list(),
      () => this.truth(),
      () => 'null',
      () => 'undefined',
    ]);
  }

  field(): string {
    return this.choices.one(FIELDS);
  }

  /** A call of a tool, which is a promise. */
  call(): string {
    return this.#choose([
      () => `${this.callee()}(${this.args()})`,
      () => `${this.callee()}(${this.args()})`,
      () =>
        `${this.variable('function', () => this.callee())}(${this.choices.one([this.text(), this.args() || 'undefined'])}, ${this.number()})`,
      () => `${this.variable('tool', () => this.callee())}(${this.args()})`,
      () => `${this.callee()}(${this.args()}).then((got) => got)`,
      () => `${this.callee()}(${this.args()}).catch(() => null)`,
      () => `${this.callee()}(${this.args()}).then(({ name }) => ({ name, ok: true }))`,
      () => `(async () => ${this.callee()}(${this.args()}))()`,
      () =>
        `(async (one) => { ${this.choices.one(['return', 'return await'])} ${this.callee()}({ id: one }); })(${this.text()})`,
      () => `Promise.resolve(${this.callee()}(${this.args()}))`,
      () => this.variable('promise', () => `${this.callee()}(${this.args()})`),
    ]);
  }

  callee(): string {
    const [server, tool] = this.choices.one(TOOLS).split(':') as [string, string];
    return this.#choose([
      () => `mcp.${server}.${tool}`,
      () => `mcp["${server}"]["${tool}"]`,
      () => `mcp["${server}:${tool}"]`,
      () => `${this.variable('client', () => 'mcp')}.${server}.${tool}`,
      () => `mcp.${server}["${tool}"]`,
      () => `mcp.${server}?.${tool}`,
      () => `mcp[${this.sync(() => this.text())}].${tool}`,
    ]);
  }

  args(): string {
    const [first, second, third] = this.choices.shuffled(KEYS);
    return this.#choose([
      () => `{ ${first}: ${this.text()} }`,
      () => `{ ${first}: ${this.text()}, ${second}: ${this.number()} }`,
      () => `{ ${first}: ${this.anything()}, ${second}: ${this.anything()}, ${third}: ${this.anything()} }`,
      () => `{ ...${this.object()}, ${first}: ${this.text()} }`,
      () => `{ ${first}: ${this.text()}, ...${this.object()} }`,
      () => this.object(),
      () => `{ ${first}: [${this.text()}, ${this.text()}], ${second}: { a: ${this.text()} } }`,
      () => `{ "${first}": ${this.text()}, [${this.text()}]: ${this.number()} }`,
      () => '{}',
      () => '',
      () => this.variable('result', () => '{}'),
    ]);
  }
}

/** An expression that a member access may follow. */
export function held(text: string): string {
  return /^[\w$.]+$/.test(text) && !/^\d/.test(text) ? text : `(${text})`;
}
