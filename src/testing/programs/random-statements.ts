import { held, type RandomExpressions } from './random-expressions.ts';
import type { Kind, RandomScope } from './random-scope.ts';

/** Where a statement stands: what may leave it. */
interface Place {
  readonly depth: number;
  readonly inLoop: boolean;
  readonly mayReturn: boolean;
}

const MAX_DEPTH = 3;

/** Writes random statements. The first of each list of ways is the simplest. */
export class RandomStatements {
  readonly #to: RandomExpressions;
  readonly #scope: RandomScope;
  #labels = 0;

  constructor(expressions: RandomExpressions) {
    this.#to = expressions;
    this.#scope = expressions.scope;
  }

  program(): string {
    const count = 3 + this.#to.choices.below(8);
    const place = { depth: 0, inLoop: false, mayReturn: true };
    const lines = Array.from({ length: count }, () => this.#statement(place));
    return [...lines, this.#exit()].join('\n');
  }

  #exit(): string {
    const to = this.#to;
    return to.way([
      () => `return ${this.#scope.pick('result') ?? to.quoted()};`,
      () => `return await ${to.call()};`,
      () => `return ${to.call()};`,
      () => `return { a: ${to.anything()}, b: ${to.anything()} };`,
      () => `return [${to.anything()}, ${to.anything()}];`,
      () => `const end = ${to.anything()};\nreturn end;`,
      () => `return ${to.truth()} ? ${to.anything()} : ${to.anything()};`,
      () => '',
    ]);
  }

  #statement(place: Place): string {
    const simple = [
      () => this.#constResult(),
      () => `await ${this.#to.call()};`,
      () => this.#declareValue(),
      () => this.#destructure(),
      () => this.#change(),
      () => this.#declareTool(),
      () => this.#promise(),
      () => `console.log(${this.#to.anything()});`,
      () => this.#leave(place),
      () => `${this.#to.call()};`,
    ];
    const nested = [
      () => this.#condition(place),
      () => this.#helper(place),
      () => this.#loop(place),
      () => this.#together(),
      () => this.#attempt(place),
      () => this.#closures(),
      () => this.#trap(),
      () => this.#generator(),
      () => `{\n${this.#block({ ...place, depth: place.depth + 1 })}\n}`,
    ];
    // Simple statements count twice, so that programs are mostly a sequence of calls.
    return this.#to.way(place.depth >= MAX_DEPTH ? simple : [...simple, ...simple, ...nested]);
  }

  #block(place: Place, before = ''): string {
    return this.#scope.within(() => {
      const lines = Array.from({ length: 1 + this.#to.choices.below(3) }, () => this.#statement(place));
      return [...(before ? [before] : []), ...lines].join('\n');
    });
  }

  #bind(kind: Kind, text: string, word = this.#to.choices.one(['const', 'const', 'let'])): string {
    const name = this.#scope.reserve();
    this.#scope.declare(name, kind, word !== 'const');
    return `${word} ${name} = ${text};`;
  }

  #constResult(): string {
    return this.#bind('result', `await ${this.#to.call()}`);
  }

  #declareValue(): string {
    const to = this.#to;
    return to.way([
      () => this.#bind('text', to.text()),
      () => this.#bind('number', to.number(), 'let'),
      () => this.#bind('object', to.object()),
      () => this.#bind('list', to.list()),
      () => this.#bind('text', to.text(), 'let'),
      () => this.#bind('result', `{ name: ${to.text()}, ok: ${to.truth()}, items: ${to.list()} }`),
      () =>
        this.#bind(
          'list',
          to.variable('list', () => to.list()),
        ),
      () =>
        this.#bind(
          'object',
          to.variable('object', () => to.object()),
        ),
    ]);
  }

  #destructure(): string {
    const to = this.#to;
    const [name, second] = [this.#scope.reserve(), this.#scope.reserve()];
    if (name === second) return this.#constResult();
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
    this.#scope.declare(name, 'text', written.startsWith('let'));
    this.#scope.declare(
      second,
      /\.\.\.\w+ \} =/.test(written) ? 'object' : 'list',
      written.startsWith('let'),
    );
    return written;
  }

  /** Changes what was captured, passed or returned before. */
  #change(): string {
    const to = this.#to;
    const [text, number] = [this.#scope.pick('text', true), this.#scope.pick('number', true)];
    const object = to.variable('object', () => 'args');
    const list = this.#scope.pick('list') ?? '[]';
    const result = this.#scope.pick('result') ?? 'args';
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

  #declareTool(): string {
    const to = this.#to;
    return to.way([
      () => this.#bind('tool', to.callee()),
      () => this.#bind('client', 'mcp'),
      () => this.#bind('tool', `(options) => ${to.callee()}(options)`),
      () =>
        this.#bind('tool', `(options) => ${to.callee()}({ ...options, name: ${to.sync(() => to.text())} })`),
      () => this.#bind('tool', `{ read: ${to.callee()} }.read`),
      () => this.#bind('tool', `[${to.callee()}, ${to.callee()}][${to.choices.below(2)}]`),
      () => this.#bind('client', '{ fs: mcp.fs, crm: mcp.mail, mail: mcp.crm }'),
    ]);
  }

  #promise(): string {
    const to = this.#to;
    const pending = this.#scope.pick('promise');
    return to.way([
      () => this.#bind('promise', to.call()),
      () => (pending ? this.#bind('result', `await ${pending}`) : this.#bind('promise', to.call())),
      () => (pending ? `await ${pending};` : `await ${to.call()};`),
      () => this.#bind('promise', `(async () => { await ${to.call()}; return ${to.call()}; })()`),
      () =>
        this.#bind(
          'result',
          `await ${to.call()}.then((got) => ({ ...got, name: ${to.sync(() => to.text())} }))`,
        ),
      () => `await ${to.call()}.finally(async () => ${to.call()});`,
      () => 'await new Promise((resolve) => setTimeout(resolve, 1));',
      () => 'await null;',
    ]);
  }

  #leave({ depth, inLoop, mayReturn }: Place): string {
    const to = this.#to;
    if (depth === 0 || !mayReturn) return `if (${to.truth()}) { await ${to.call()}; }`;
    return to.way([
      () => `if (${to.truth()}) return ${to.anything()};`,
      () => `if (!${to.truth()}) throw new Error(${to.text()});`,
      () => (inLoop ? `if (${to.truth()}) break;` : `if (${to.truth()}) return;`),
      () => (inLoop ? `if (${to.truth()}) continue;` : `throw ${to.text()};`),
    ]);
  }

  #condition(place: Place): string {
    const to = this.#to;
    const inner = { ...place, depth: place.depth + 1 };
    return to.way([
      () => `if (${to.truth()}) {\n${this.#block(inner)}\n}`,
      () => `if (${to.truth()}) {\n${this.#block(inner)}\n} else {\n${this.#block(inner)}\n}`,
      () => `if (!${held(to.result())}) {\n${this.#block(inner)}\nreturn null;\n}`,
      () =>
        `switch (${to.text()}) {\ncase ${to.quoted()}: {\n${this.#block(inner)}\n}\ncase ${to.quoted()}: {\n${this.#block(inner)}\nbreak;\n}\ndefault: {\n${this.#block(inner)}\n}\n}`,
      () => `${to.truth()} && (await ${to.call()});`,
      () => `${to.truth()} ? await ${to.call()} : await ${to.call()};`,
      () =>
        this.#bind(
          'result',
          `${to.truth()} ? await ${to.call()} : ${to.choices.one(['null', `await ${to.call()}`])}`,
        ),
      () => this.#bind('result', `(await ${to.call()}) ?? (await ${to.call()})`),
      () => this.#bind('result', `(${to.truth()} && (await ${to.call()})) || ${to.object()}`),
    ]);
  }

  #helper(place: Place): string {
    const to = this.#to;
    const name = this.#scope.reserve();
    const inner: Place = { depth: place.depth + 1, inLoop: false, mayReturn: true };
    const body = (...parameters: [string, Kind][]) =>
      this.#scope.within(() => {
        for (const [parameter, kind] of parameters) this.#scope.declare(parameter, kind, true);
        const before = to.choices.maybe(40) ? `${this.#statement(inner)}\n` : '';
        return `${before}${to.choices.one(['return', 'return await', 'const got = await'])} ${to.call()};`;
      });
    const written = to.way([
      () => `const ${name} = async (p, n) => {\n${body(['p', 'text'], ['n', 'number'])}\n};`,
      () => `const ${name} = (p, n) => ${to.callee()}({ id: p, limit: n });`,
      () => `async function ${name}(p, n) {\n${body(['p', 'text'], ['n', 'number'])}\n}`,
      () =>
        `const ${name} = async (p, n = ${to.sync(() => to.number())}) => ${to.callee()}({ id: p, limit: n });`,
      () => `const ${name} = async (p, n, q = p + n) => ${to.callee()}({ id: q });`,
      () => `const ${name} = async (...all) => ${to.callee()}({ path: all.join("/"), limit: all.length });`,
      () =>
        `const ${name} = async (p = {}, n = 1) => { const { a = ${to.text()}, ...more } = Object(p); return ${to.callee()}({ a, more, n }); };`,
      () =>
        `const ${name} = async (p, n) => {\np += ${to.text()};\n${body(['p', 'text'], ['n', 'number'])}\n};`,
      () =>
        `const ${name} = async (p, n) => { if (!(n > 0)) return ${to.callee()}({ id: p }); await ${to.callee()}({ id: n }); return n < 4 ? ${name}(p, n - 1) : null; };`,
      () => `const ${name} = async (p, mcp) => ({ name: String(p), ok: true, items: [String(mcp)] });`,
      () =>
        `const ${name} = async function (p) { return ${to.callee()}({ id: p, limit: arguments.length }); };`,
      () =>
        `const ${name} = ((count) => async (p) => ${to.callee()}({ id: p, limit: ++count }))(${to.number()});`,
    ]);
    this.#scope.declare(name, 'function');
    return written;
  }

  #loop(place: Place): string {
    const to = this.#to;
    const inner: Place = { depth: place.depth + 1, inLoop: true, mayReturn: place.mayReturn };
    const body = (name: string, kind: Kind, assignable = false) =>
      this.#scope.within(() => {
        this.#scope.declare(name, kind, assignable);
        return this.#block(inner);
      });
    this.#labels += 1;
    const label = `loop${this.#labels}`;
    return to.way([
      () => `for (const item of ${to.list()}) {\n${body('item', 'text')}\n}`,
      () => `for (const item of [${to.quoted()}, ${to.quoted()}]) {\n${body('item', 'text')}\n}`,
      () =>
        `for (const { a, b } of [${to.object()}, ${to.object()}]) {\n${this.#scope.within(() => {
          this.#scope.declare('a', 'text');
          this.#scope.declare('b', 'number');
          return this.#block(inner);
        })}\n}`,
      () => `for (let i = 0; i < 2; i++) {\n${body('i', 'number')}\n}`,
      () =>
        `for (const [i, item] of ${held(to.list())}.entries()) {\n${this.#scope.within(() => {
          this.#scope.declare('i', 'number');
          this.#scope.declare('item', 'text');
          return this.#block(inner);
        })}\n}`,
      () => `let ${label} = 0;\nwhile (${label}++ < 2) {\n${body(label, 'number')}\n}`,
      () => `let ${label} = 0;\ndo {\n${this.#block(inner)}\n} while (++${label} < 2);`,
      () => `for (const key in ${to.object()}) {\n${body('key', 'text')}\n}`,
      () =>
        `${label}: for (const one of ${to.list()}) {\nfor (const two of ${to.list()}) {\nif (${to.truth()}) ${to.choices.one(['continue', 'break'])} ${label};\nawait ${to.callee()}({ id: one, name: two });\n}\n}`,
      () => `${held(to.list())}.forEach(async (one) => { await ${to.callee()}({ id: one }); });`,
      () => `for (const item of ${to.list()}) {\nif (${to.truth()}) break;\n${body('item', 'text')}\n}`,
      () => this.#collect(),
      () =>
        `await ${held(to.list())}.reduce(async (before, one) => { await before; return ${to.callee()}({ id: one }); }, Promise.resolve());`,
    ]);
  }

  #collect(): string {
    const to = this.#to;
    const name = this.#scope.reserve();
    const list = to.list();
    this.#scope.declare(name, 'list');
    return `const ${name} = [];\nfor (const one of ${list}) ${name}.push((await ${to.callee()}({ id: one }))?.name);`;
  }

  /** Calls that are under way at the same time. */
  #together(): string {
    const to = this.#to;
    const [name, second] = [this.#scope.reserve(), this.#scope.reserve()];
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
    this.#scope.declare(name, 'list');
    if (second === name || !this.#to.choices.maybe(50)) return written;
    this.#scope.declare(second, 'result');
    return `${written}\nconst [${second}] = ${name};`;
  }

  #attempt(place: Place): string {
    const to = this.#to;
    const inner = { ...place, depth: place.depth + 1 };
    const caught = () =>
      to.choices.one([
        'throw error;',
        `${place.mayReturn ? 'return' : 'void'} { error: String(error?.message ?? error) };`,
        `await ${to.call()};`,
        'throw new Error("again: " + (error?.message ?? error));',
        '',
      ]);
    return to.way([
      () => `try {\n${this.#block(inner)}\n} catch (error) {\n${caught()}\n}`,
      () => `try {\n${this.#block(inner)}\n} finally {\nawait ${to.call()};\n}`,
      () =>
        `try {\n${this.#block(inner)}\n} catch (error) {\n${caught()}\n} finally {\n${place.mayReturn ? to.choices.one(['', `return ${to.quoted()};`]) : ''}\n}`,
      () => `try {\nthrow { name: ${to.text()} };\n} catch ({ name }) {\nawait ${to.callee()}({ name });\n}`,
      () =>
        `{\nlet tries = 0;\nwhile (tries < 2) {\ntries++;\ntry {\nawait ${to.call()};\nbreak;\n} catch {\nawait ${to.callee()}({ limit: tries });\n}\n}\n}`,
    ]);
  }

  /** Functions over variables that change after they were made. */
  #closures(): string {
    const to = this.#to;
    const call = (inside: string) => `${to.callee()}({ id: ${inside} })`;
    return to.way([
      () =>
        `{\nlet held = ${to.text()};\nconst later = () => ${call('held')};\nheld = ${to.text()};\nawait later();\n}`,
      () =>
        `{\nconst acts = [];\nfor (let i = 0; i < 2; i++) acts.push(() => ${call('i')});\nfor (const act of acts) await act();\n}`,
      () =>
        `{\nconst acts = [];\nfor (var step = 0; step < 2; step++) acts.push(() => ${call('step')});\nfor (const act of acts) await act();\n}`,
      () =>
        `{\nconst held = { a: ${to.text()} };\nconst pending = ${to.callee()}(held);\nheld.a = ${to.text()};\nawait pending;\nawait ${to.callee()}(held);\n}`,
      () =>
        `{\nlet at = 0;\nconst next = () => ++at;\nawait ${to.callee()}({ text: next(), path: next(), id: next() });\n}`,
      () =>
        `{\nconst acts = { first: () => ${call(to.sync(() => to.text()))} };\nacts.first = () => ${call('"other"')};\nawait acts.first();\n}`,
      () =>
        `{\nclass Box {\nstatic made = 0;\n#id = ${to.quoted()};\nconstructor(id) { this.#id += id; Box.made++; }\nasync send() { return ${to.callee()}({ id: this.#id, limit: Box.made }); }\n}\nawait new Box(${to.text()}).send();\n}`,
      () =>
        `{\nlet read = 0;\nconst odd = { get a() { return ++read; } };\nawait ${to.callee()}({ id: odd.a, text: odd.a });\n}`,
    ]);
  }

  /** Names that mean something else here. */
  #trap(): string {
    const to = this.#to;
    return to.way([
      () =>
        `{\nconst mcp = { fs: { read: async ({ path }) => ({ name: path }) } };\nawait mcp.fs.read({ path: ${to.quoted()} });\n}`,
      () => `{\nconst args = { id: ${to.quoted()} };\nawait ${to.callee()}({ id: args.id });\n}`,
      () => `{\nconst undefined = ${to.quoted()};\nawait ${to.callee()}({ id: undefined });\n}`,
      () =>
        `{\nconst JSON = { stringify: () => ${to.quoted()} };\nawait ${to.callee()}({ id: JSON.stringify({}) });\n}`,
      () =>
        `{\nconst Promise = { all: async (all) => all.length };\nawait ${to.callee()}({ id: await Promise.all([1, 2]) });\n}`,
      () => `{\nconst String = (one) => one + "!";\nawait ${to.callee()}({ id: String(${to.number()}) });\n}`,
      () =>
        `{\nawait hoisted(${to.quoted()});\nasync function hoisted(p) { return ${to.callee()}({ id: p }); }\n}`,
      () =>
        `{\nconst list = [${to.quoted()}];\nlist.map = () => ["own"];\nawait ${to.callee()}({ tags: list.map((one) => one) });\n}`,
      () =>
        `{\nconst thenable = { then: (done) => done(${to.quoted()}) };\nawait ${to.callee()}({ id: await thenable });\n}`,
      () =>
        `{\nconst seen = new Proxy({}, { get: (_, key) => String(key) });\nawait ${to.callee()}({ id: seen.anything });\n}`,
    ]);
  }

  #generator(): string {
    const to = this.#to;
    const name = this.#scope.reserve();
    return to.way([
      () =>
        `{\nfunction* ${name}() { yield ${to.quoted()}; yield ${to.quoted()}; }\nfor (const one of ${name}()) await ${to.callee()}({ id: one });\n}`,
      () =>
        `{\nasync function* ${name}() { yield await ${to.callee()}({ id: ${to.quoted()} }); yield ${to.callee()}({}); }\nfor await (const one of ${name}()) console.log(one);\n}`,
      () =>
        `{\nconst ${name} = [${to.call()}, ${to.call()}];\nfor await (const one of ${name}) if (one?.ok) break;\n}`,
    ]);
  }
}
