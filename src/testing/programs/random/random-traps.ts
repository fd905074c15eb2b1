import type { RandomExpressions } from './random-expressions.ts';

/** Writes code that does not do what it seems to do at first sight. */
export class RandomTraps {
  readonly #to: RandomExpressions;

  constructor(expressions: RandomExpressions) {
    this.#to = expressions;
  }

  /** Functions over variables that change after they were made. */
  closures(): string {
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
  trap(): string {
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

  generator(): string {
    const to = this.#to;
    const name = to.scope.reserve();
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
