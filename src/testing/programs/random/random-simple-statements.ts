import { held, type RandomExpressions } from './random-expressions.ts';
import type { Kind, RandomScope } from './random-scope.ts';

/** Writes random statements that hold no others. */
export class RandomSimpleStatements {
  readonly to: RandomExpressions;
  readonly scope: RandomScope;

  constructor(expressions: RandomExpressions) {
    this.to = expressions;
    this.scope = expressions.scope;
  }

  bind(kind: Kind, text: string, word = this.to.choices.one(['const', 'const', 'let'])): string {
    const name = this.scope.reserve();
    this.scope.declare(name, kind, word !== 'const');
    return `${word} ${name} = ${text};`;
  }

  constResult(): string {
    return this.bind('result', `await ${this.to.call()}`);
  }

  declareValue(): string {
    const to = this.to;
    return to.way([
      () => this.bind('text', to.text()),
      () => this.bind('number', to.number(), 'let'),
      () => this.bind('object', to.object()),
      () => this.bind('list', to.list()),
      () => this.bind('text', to.text(), 'let'),
      () => this.bind('result', `{ name: ${to.text()}, ok: ${to.truth()}, items: ${to.list()} }`),
      () =>
        this.bind(
          'list',
          to.variable('list', () => to.list()),
        ),
      () =>
        this.bind(
          'object',
          to.variable('object', () => to.object()),
        ),
    ]);
  }

  destructure(): string {
    const to = this.to;
    const [name, second] = [this.scope.reserve(), this.scope.reserve()];
    if (name === second) return this.constResult();
    const source = to.choices.one([`await ${to.call()}`, to.result()]);
    const written = to.way([
      () => `const { name: ${name}, items: ${second} } = ${source};`,
      () => `const { name: ${name} = ${to.text()}, items: ${second} = [] } = ${source};`,
      () => `const { nested: { name: ${name} } = {}, ...${second} } = ${source};`,
      () => `const { items: [${name}, ...${second}] } = ${source};`,
      () => `const [${name}, ...${second}] = ${to.list()};`,
      () => `let ${name}, ${second};\n({ name: ${name}, items: ${second} } = ${source});`,
      () => `const { a: ${name}, ...${second} } = ${to.object()};`,
    ]);
    this.scope.declare(name, 'text', written.startsWith('let'));
    this.scope.declare(second, /\.\.\.\w+ \} =/.test(written) ? 'object' : 'list', written.startsWith('let'));
    return written;
  }

  /** Changes what was captured, passed or returned before. */
  change(): string {
    const to = this.to;
    const [text, number] = [this.scope.pick('text', true), this.scope.pick('number', true)];
    const object = to.variable('object', () => 'args');
    const list = this.scope.pick('list') ?? '[]';
    const result = this.scope.pick('result') ?? 'args';
    return to.way([
      () => `${object}.${to.field()} = ${to.text()};`,
      () => (text ? `${text} = ${to.text()};` : `${object}.b = ${to.number()};`),
      () => (text ? `${text} += ${to.text()};` : `${object}["a"] = ${to.text()};`),
      () => (number ? `${number} = ${to.number()};` : `${object}.a = ${to.number()};`),
      () => `${result}.name = ${to.text()};`,
      () => `${list}.push(${to.text()});`,
      () => `${list}[0] = ${to.text()};`,
      () =>
        `${list}.${to.choices.one(['sort()', 'reverse()', 'splice(0, 1)', 'pop()', 'shift()', 'fill("f")'])};`,
      () => `delete ${to.choices.one([object, result])}.${to.field()};`,
      () => `${object}.a ??= ${to.text()};`,
      () => (text ? `${text} ||= ${to.text()};` : `${object}.a ||= ${to.text()};`),
      () => `${list}.length = 1;`,
      () => `Object.assign(${object}, ${to.object()});`,
      () => `for (const key of Object.keys(${object})) ${object}[key] = ${to.text()};`,
      () => `${result}.items?.push(${to.text()});`,
      () => (number ? `${number}++;` : `${object}.b = (${object}.b ?? 0) + 1;`),
      () => `[${object}.a, ${object}.b] = [${object}.b, ${object}.a];`,
    ]);
  }

  declareTool(): string {
    const to = this.to;
    return to.way([
      () => this.bind('tool', to.callee()),
      () => this.bind('client', 'mcp'),
      () => this.bind('tool', `(options) => ${to.callee()}(options)`),
      () =>
        this.bind('tool', `(options) => ${to.callee()}({ ...options, name: ${to.sync(() => to.text())} })`),
      () => this.bind('tool', `{ read: ${to.callee()} }.read`),
      () => this.bind('tool', `[${to.callee()}, ${to.callee()}][${to.choices.below(2)}]`),
      () => this.bind('client', '{ fs: mcp.fs, crm: mcp.mail, mail: mcp.crm }'),
    ]);
  }

  promise(): string {
    const to = this.to;
    const pending = this.scope.pick('promise');
    return to.way([
      () => this.bind('promise', to.call()),
      () => (pending ? this.bind('result', `await ${pending}`) : this.bind('promise', to.call())),
      () => (pending ? `await ${pending};` : `await ${to.call()};`),
      () => this.bind('promise', `(async () => { await ${to.call()}; return ${to.call()}; })()`),
      () =>
        this.bind(
          'result',
          `await ${to.call()}.then((got) => ({ ...got, name: ${to.sync(() => to.text())} }))`,
        ),
      () => `await ${to.call()}.finally(async () => ${to.call()});`,
      () => 'await new Promise((resolve) => setTimeout(resolve, 1));',
      () => 'await null;',
    ]);
  }

  collect(): string {
    const to = this.to;
    const name = this.scope.reserve();
    const each = `for (const one of ${to.list()})`;
    const got = `(await ${to.callee()}({ id: one }))?.name`;
    if (to.choices.maybe(40)) return this.#fill(name, each, got);
    const round = to.way([
      () => `${name}.push(${got});`,
      () => `{ ${name}.push(one); await ${to.callee()}({ id: one }); }`,
      () => `${name}.push(\`\${${got}} \${${name}.length}\`);`,
      () => `await ${to.callee()}({ id: one, limit: ${name}.push(one) });`,
      () => `{ const so = ${name}.join(); ${name}.push(so + ${got}); }`,
    ]);
    this.scope.declare(name, 'list');
    return `const ${name} = [];\n${each} ${round}`;
  }

  /** An object that gets keys which only the run knows. */
  #fill(name: string, each: string, got: string): string {
    const to = this.to;
    const written = to.way([
      () => `const ${name} = {};\n${each} ${name}[one] = ${got};`,
      () => `const ${name} = {};\n${each} ${name}[${got}] = one;`,
      () =>
        `const ${name} = ${to.object()};\n${name}[${to.text()}] = ${to.anything()};\n${name}.b = ${to.text()};`,
      () => `const ${name} = {};\n${each} ${name}[one] = (${name}[one] ?? 0) + 1;`,
      () =>
        `const ${name} = {};\n${name}[${to.text()}] = await ${to.call()};\n${each} ${name}[one] = ${got};`,
    ]);
    this.scope.declare(name, 'result');
    return written;
  }

  /** Calls that are under way at the same time. */
  together(): string {
    const to = this.to;
    const [name, second] = [this.scope.reserve(), this.scope.reserve()];
    const [calls, mapped] = [
      `[${to.call()}, ${to.call()}]`,
      `${held(to.list())}.map((one) => ${to.callee()}({ id: one }))`,
    ];
    const written = to.way([
      () => `const ${name} = await Promise.all(${calls});`,
      () => `const ${name} = await Promise.all(${mapped});`,
      () =>
        `const ${name} = await Promise.all(${held(to.list())}.map(async (one, at) => { const got = await ${to.callee()}({ id: one }); return at > 0 ? got?.name : one; }));`,
      () =>
        `const ${name} = [];\nawait Promise.all(${held(to.list())}.map(async (one) => { ${name}.push((await ${to.callee()}({ id: one }))?.name); }));`,
      () =>
        `const ${name} = (await Promise.allSettled(${calls})).map(({ status, value }) => value?.name ?? status);`,
      () => `const ${name} = [await Promise.race(${calls})];`,
      () => `const ${name} = [await Promise.any(${calls}).catch(() => null)];`,
      () => `const ${name} = await Promise.all([${to.call()}, ${to.text()}]);`,
      () =>
        `let shared${second} = 0;\nconst ${name} = await Promise.all(${held(to.list())}.map(async (one) => { const at = shared${second}++; const got = await ${to.callee()}({ id: one, limit: at }); shared${second} += got?.count ?? 1; return \`\${shared${second}}\`; }));`,
    ]);
    this.scope.declare(name, 'list');
    if (second === name || !this.to.choices.maybe(50)) return written;
    this.scope.declare(second, 'result');
    return `${written}\nconst [${second}] = ${name};`;
  }
}
