/** Programs that hand a secret on to a tool, by every way that one can think of. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs in plain strings

/** A secret as a program writes it, and the call that takes it. */
export interface Sink {
  /** The source of the literal: `"hunter2"`, `4711`. */
  readonly literal: string;
  readonly text: string;
  /** The source of the call that gets the value of an expression. */
  readonly use: (expression: string) => string;
}

type Way = (sink: Sink) => string;

/** The secret stands in one literal, which can become a parameter. */
// biome-ignore format: a table
export const LIFTED: Record<string, Way> = {
  'directly': ({ literal, use }) => `return await ${use(literal)}`,
  'a constant': ({ literal, use }) => `const q = ${literal}; return await ${use('q')}`,
  'a typed constant': ({ literal, use }) => `const q: any = ${literal} as any; return await ${use('q')}`,
  'a variable that is assigned later': ({ literal, use }) => `let q; q = ${literal}; return await ${use('q')}`,
  'a variable that is assigned if empty': ({ literal, use }) => `let q; q ??= ${literal}; return await ${use('q')}`,
  'a member of an object': ({ literal, use }) => `const user = { name: "ana", q: ${literal} }; return await ${use('user.q')}`,
  'a nested member': ({ literal, use }) => `const c = { a: { b: [{ q: ${literal} }] } }; return await ${use('c.a.b[0].q')}`,
  'a member that is assigned': ({ literal, use }) => `const c = { a: {} }; c.a.q = ${literal}; return await ${use('c.a.q')}`,
  'an object that is passed whole': ({ literal, use }) => `const all = [${literal}]; const [q] = all; const go = (x) => ${use('x')}; return await go(q)`,
  'an arrow function': ({ literal, use }) => `const go = (u, q) => ${use('q')}; return await go("ana", ${literal})`,
  'a function': ({ literal, use }) => `async function go(u, q) { return ${use('q')} } return await go("ana", ${literal})`,
  'two functions': ({ literal, use }) => `const a = (q) => ${use('q')}; const b = (z) => a(z); return await b(${literal})`,
  'a function with an object': ({ literal, use }) => `const go = ({ u, q }) => ${use('q')}; return await go({ u: "ana", q: ${literal} })`,
  'apply': ({ literal, use }) => `function go(u, q) { return ${use('q')} } return await go.apply(null, ["ana", ${literal}])`,
  'bind': ({ literal, use }) => `function go(q, u) { return ${use('q')} } return await go.bind(null, ${literal})("ana")`,
  'a default parameter': ({ literal, use }) => `const go = (q = ${literal}) => ${use('q')}; return await go()`,
  'a default of a pattern': ({ literal, use }) => `const { q = ${literal} } = {}; return await ${use('q')}`,
  'a pattern': ({ literal, use }) => `const [u, q] = ["ana", ${literal}]; return await ${use('q')}`,
  'a loop over pairs': ({ literal, use }) => `let r; for (const [u, q] of [["ana", ${literal}]]) r = await ${use('q')}; return r`,
  'a loop over objects': ({ literal, use }) => `let r; for (const { q } of [{ u: "ana", q: ${literal} }]) r = await ${use('q')}; return r`,
  'a counted loop': ({ literal, use }) => `const l = ["a", ${literal}]; let r; for (let i = 1; i < l.length; i++) r = await ${use('l[i]')}; return r`,
  'map': ({ literal, use }) => `return await Promise.all([${literal}].map((q) => ${use('q')}))`,
  'reduce': ({ literal, use }) => `return await ${use(`[${literal}].reduce((_, q) => q, 0)`)}`,
  'a condition': ({ literal, use }) => `return await ${use(`Date.now() > 5 ? ${literal} : 0`)}`,
  '??': ({ literal, use }) => `return await ${use(`args.q ?? ${literal}`)}`,
  '||': ({ literal, use }) => `const q = undefined || ${literal}; return await ${use('q')}`,
  'a comma': ({ literal, use }) => `const q = (0, ${literal}); return await ${use('q')}`,
  'a field of a class': ({ literal, use }) => `class C { q = ${literal} } return await ${use('new C().q')}`,
  'a static field': ({ literal, use }) => `class C { static q = ${literal} } return await ${use('C.q')}`,
  'a private field': ({ literal, use }) => `class C { #q = ${literal}; get() { return this.#q } } return await ${use('new C().get()')}`,
  'a getter': ({ literal, use }) => `const c = { get q() { return ${literal} } }; return await ${use('c.q')}`,
  'a function that returns it': ({ literal, use }) => `return await ${use(`(() => ${literal})()`)}`,
  'a promise': ({ literal, use }) => `const q = await Promise.resolve(${literal}); return await ${use('q')}`,
  'a generator': ({ literal, use }) => `function* g() { yield ${literal} } const [q] = g(); return await ${use('q')}`,
  'an exception': ({ literal, use }) => `try { throw ${literal} } catch (q) { return await ${use('q')} }`,
  'a switch': ({ literal, use }) => `const f = (u) => { switch (u) { case "ana": return ${literal} } }; return await ${use('f("ana")')}`,
  'a map': ({ literal, use }) => `const m = new Map([["ana", ${literal}]]); return await ${use('m.get("ana")')}`,
  'a set': ({ literal, use }) => `const [q] = new Set([${literal}]); return await ${use('q')}`,
  'Object.assign': ({ literal, use }) => `const c = Object.assign({}, { q: ${literal} }); return await ${use('c.q')}`,
  'Object.entries': ({ literal, use }) => `const [[u, q]] = Object.entries({ ana: ${literal} }); return await ${use('q')}`,
  'a spread': ({ literal, use }) => `const base = { q: ${literal} }; const c = { ...base }; return await ${use('c.q')}`,
  'JSON in a text': ({ literal, use }) => `const { q } = JSON.parse('{"q":${literal}}'); return await ${use('q')}`,
  'a part of a text': ({ text, use }) => `const q = "ana:${text}".split(":")[1]; return await ${use('q')}`,
  'a match': ({ text, use }) => `const [, q] = /it is (\\w+)/.exec("it is ${text} of course"); return await ${use('q')}`,
  'a template': ({ literal, use }) => `return await ${use(`\`\${${literal}}\``)}`,
  'a part of a template': ({ text, use }) => `const q = \`\${"ana"}:${text}\`.split(":")[1]; return await ${use('q')}`,
  'a replaced text': ({ literal, use }) => `const q = "K".replace("K", ${literal}); return await ${use('q')}`,
  'an escape': ({ text, use }) => `const q = "\\x${text.charCodeAt(0).toString(16)}${text.slice(1)}"; return await ${use('q')}`,
  'a text that is trimmed': ({ text, use }) => `const q = "  ${text} ".trim(); return await ${use('q')}`,
  'String and Number': ({ literal, use }) => `const q = String(${literal}); return await ${use('q')}`,
  'a tool by a computed name': ({ literal, use }) => `const q = ${literal}; return await ${use('q').replace(/mcp\.vault\.(\w+)/, 'mcp["vault"]["" + "$1"]')}`,
  'mcp in a variable': ({ literal, use }) => `const { vault } = mcp; const q = ${literal}; return await ${use('q').replace('mcp.vault', 'vault')}`,
  'a comment, too': ({ literal, text, use }) => `// it is ${text}\nconst q = ${literal}; /* ${text} */ return await ${use('q')}`,
  'other texts, too': ({ literal, text, use }) => `const q = ${literal}; console.log("using ${text} now"); const unused = [${literal}, "${text}"]; return await ${use('q')}`,
  'the result, too': ({ literal, use }) => `const q = ${literal}; await ${use('q')}; return { q, all: [q] }`,
  'twice': ({ literal, use }) => `await ${use(literal)}; const q = ${literal}; return await ${use('q')}`,
  'after many calls': ({ literal, use }) => `for (let i = 0; i < 210; i++) await mcp.vault.run({ argv: ["n"] }); const q = ${literal}; return await ${use('q')}`,
  'before a large call': ({ literal, use }) => `const q = ${literal}; await ${use('q')}; return (await mcp.vault.run({ argv: ["y".repeat(300000)] })).ran`,
};

/** The secret is built, computed or named: no parameter can replace it. */
// biome-ignore format: a table
export const REFUSED: Record<string, Way> = {
  'a sum': ({ text, use }) => `const q = "${text.slice(0, 3)}" + "${text.slice(3)}"; return await ${use('q')}`,
  'a sum of characters': ({ text, use }) => `const q = ${[...text].map((c) => `"${c}"`).join(' + ')}; return await ${use('q')}`,
  'a template of parts': ({ text, use }) => `const [a, b] = ["${text.slice(0, 4)}", "${text.slice(4)}"]; return await ${use('`${a}${b}`')}`,
  'join': ({ text, use }) => `const q = ["${text.slice(0, 5)}", "${text.slice(5)}"].join(""); return await ${use('q')}`,
  'concat': ({ text, use }) => `const q = "${text.slice(0, 5)}".concat("${text.slice(5)}"); return await ${use('q')}`,
  '+=': ({ text, use }) => `let q = "${text.slice(0, 5)}"; q += "${text.slice(5)}"; return await ${use('q')}`,
  'reversed': ({ text, use }) => `const q = "${[...text].reverse().join('')}".split("").reverse().join(""); return await ${use('q')}`,
  'base64': ({ text, use }) => `const q = atob("${btoa(text)}"); return await ${use('q')}`,
  'base64 of more': ({ text, use }) => `const q = atob("${btoa(`ana:${text}`)}").slice(4); return await ${use('q')}`,
  'hexadecimal': ({ text, use }) => `const q = "${Buffer.from(text).toString('hex')}".replace(/../g, (h) => String.fromCharCode(parseInt(h, 16))); return await ${use('q')}`,
  'codes of characters': ({ text, use }) => `const q = String.fromCharCode(${[...text].map((c) => c.charCodeAt(0)).join(', ')}); return await ${use('q')}`,
  'percent signs': ({ text, use }) => `const q = decodeURIComponent("${[...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')}"); return await ${use('q')}`,
  'a replaced letter': ({ text, use }) => `const q = "${text.slice(0, -1)}~".replace("~", "${text.at(-1)}"); return await ${use('q')}`,
  'a repeated part': ({ text, use }) => `const q = "${text.slice(0, 4)}".padEnd(${text.length}, "${text.slice(4)}"); return await ${use('q')}`,
  'a key of an object': ({ text, use }) => `const q = Object.keys({ "k${text}": 1 })[0].slice(1); return await ${use('q')}`,
  'a key of a map of users': ({ text, use }) => `let r; const all = { "${text}": "ana" }; for (const q in all) r = await ${use('q')}; return r`,
  'the name of a function': ({ text, use }) => `const q = (function _${text}() {}).name.slice(1); return await ${use('q')}`,
  'a pattern': ({ text, use }) => `const q = /${text}/.source; return await ${use('q')}`,
  'a tagged template': ({ text, use }) => `const tag = (s) => s[0]; const q = tag\`${text}\${1}\`; return await ${use('q')}`,
  'the text of a function': ({ text, use }) => `const f = () => { x_${text}: for (;;) break; }; const q = /x_(\\w+):/.exec(f.toString())[1]; return await ${use('q')}`,
};
