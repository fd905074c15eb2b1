import { held, type RandomExpressions } from './random-expressions.ts';
import type { Kind, RandomScope } from './random-scope.ts';
import { RandomSimpleStatements } from './random-simple-statements.ts';
import { RandomTraps } from './random-traps.ts';

/** Where a statement stands, which decides whether `break`, `continue` or `return` may leave it. */
interface Place {
  readonly depth: number;
  readonly inLoop: boolean;
  readonly mayReturn: boolean;
}

const MAX_DEPTH = 3;

/** Writes random programs out of statements. The first of each list of ways is the simplest. */
export class RandomStatements {
  readonly #to: RandomExpressions;
  readonly #scope: RandomScope;
  readonly #simple: RandomSimpleStatements;
  readonly #traps: RandomTraps;
  #labels = 0;

  constructor(expressions: RandomExpressions) {
    this.#to = expressions;
    this.#simple = new RandomSimpleStatements(expressions);
    this.#traps = new RandomTraps(expressions);
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
      () => this.#simple.constResult(),
      () => `await ${this.#to.call()};`,
      () => this.#simple.declareValue(),
      () => this.#simple.destructure(),
      () => this.#simple.change(),
      () => this.#simple.declareTool(),
      () => this.#simple.promise(),
      () => `console.log(${this.#to.anything()});`,
      () => this.#leave(place),
      () => `${this.#to.call()};`,
    ];
    const nested = [
      () => this.#condition(place),
      () => this.#helper(place),
      () => this.#loop(place),
      () => this.#simple.together(),
      () => this.#attempt(place),
      () => this.#traps.closures(),
      () => this.#traps.trap(),
      () => this.#traps.generator(),
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
        this.#simple.bind(
          'result',
          `${to.truth()} ? await ${to.call()} : ${to.choices.one(['null', `await ${to.call()}`])}`,
        ),
      () => this.#simple.bind('result', `(await ${to.call()}) ?? (await ${to.call()})`),
      () => this.#simple.bind('result', `(${to.truth()} && (await ${to.call()})) || ${to.object()}`),
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
      () => this.#simple.collect(),
      () =>
        `await ${held(to.list())}.reduce(async (before, one) => { await before; return ${to.callee()}({ id: one }); }, Promise.resolve());`,
    ]);
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
}
