// The most expensive sources within all limits: each goes as far as the limits allow in one direction.

const CHARS = 255_000;
const TOKENS = 39_000;

/** Repeats a piece as often as the limits allow. `tokens` is the number of tokens of one piece. */
function many(piece: (index: number) => string, tokens: number, between = '\n'): string {
  const pieces: string[] = [];
  let chars = 0;
  for (let index = 0; (index + 1) * tokens < TOKENS; index += 1) {
    const next = piece(index);
    chars += next.length + between.length;
    if (chars > CHARS) break;
    pieces.push(next);
  }
  return pieces.join(between);
}

const nested = (open: string, inner: string, close: string, depth: number) =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
const words = (length: number) => 'lorem ipsum, dolor '.repeat(Math.ceil(length / 19)).slice(0, length);

export const WORST_SOURCES: Readonly<Record<string, () => string>> = {
  'many literals in calls': () => many((i) => `mcp.a.b({ k${i}: "v${i}" });`, 16),
  'many long literals in calls': () => many((i) => `mcp.a.b({ k: "${i}${'a@b,,'.repeat(96)}" });`, 16),
  'many literals of one call': () => `mcp.a.b({\n${many((i) => `k${i}: "v${i}",`, 5)}\n});`,
  'one list of many literals': () => `mcp.a.b({ k: [\n${many((i) => `"v${i}",`, 2)}\n] });`,
  'lists in lists, a sentence at the bottom': () => {
    const row = Array.from({ length: 60 }, (_, i) => `"v${i}"`).join(', ');
    return `mcp.a.b({ k:\n${`[${row},\n`.repeat(250)}"one two three four five six"${']'.repeat(250)} });`;
  },
  'objects in lists in objects': () =>
    `mcp.a.b(${nested('{ k: [', '"one two three four five six"', '] }', 90)});`,
  'many calls': () => many((i) => `mcp.a.b${i % 900}();`, 8),
  'many calls of one name': () => many(() => 'mcp.a.b();', 8),
  'many names of one call': () => `const b = mcp.a.b;\n${many(() => 'b();', 4)}`,
  'many arguments used': () => many((i) => `mcp.a.b({ k: args.x${i} });`, 14),
  'one argument used often': () => many(() => 'mcp.a.b({ k: args.x });', 14),
  'one argument with many defaults': () => many(() => 'f(args.x ?? 5);', 9),
  'many aliases in a row': () => `const a0 = mcp;\n${many((i) => `const a${i + 1} = a${i}.x;`, 7)}`,
  'long paths through aliases': () => {
    const path = '.x'.repeat(240);
    const aliases = Array.from({ length: 20 }, (_, i) => `const a${i + 1} = a${i}${path};`).join('\n');
    return `const a0 = mcp;\n${aliases}\n${many(() => 'a20;', 3).slice(0, 20_000)}`;
  },
  'many destructured names': () => `const {\n${many((i) => `x${i},`, 2)}\n} = args;`,
  'many rewritten names': () => many((i) => `const f${i} = mcp["a.b.c.d.abcd"];\nf${i}();`, 12),
  'many constants, used backwards': () => {
    const count = 2400;
    const at = Array.from({ length: count }, (_, i) => i);
    return `${at.map((i) => `const c${i} = "v${i}";`).join('\n')}\n${at.map((i) => `mcp.a.b(c${count - 1 - i});`).join('\n')}`;
  },
  'many identifiers': () => many((i) => `let v${i} = ${i === 0 ? '1' : `v${i - 1}`};`, 5),
  'many uses of one identifier': () => `let v = 1;\n${many(() => 'v = v + v;', 6)}`,
  'many scopes': () => many((i) => `{ let v${i} = 1; }`, 7),
  'nested scopes': () => many((i) => `${'{ let a = x; '.repeat(60)}f${i}(x);${'}'.repeat(60)}`, 430),
  'nested functions': () => many(() => nested('(() => { ', 'x;', ' })();', 40), 380),
  'nested brackets around a large list': () =>
    `const a = ${nested(
      '[',
      many((i) => `${i}`, 2.1, ','),
      ']',
      280,
    )};`,
  'nested brackets around a large text': () => `const a = ${nested('[', `"${words(250_000)}"`, ']', 280)};`,
  'nested calls around a large text': () => `const a = ${nested('f(', `"${words(250_000)}"`, ')', 140)};`,
  'deep brackets, many times': () => many(() => `a = ${nested('[', '1', ']', 250)};`, 505),
  'deep members, many times': () => many(() => `a${'.x'.repeat(250)};`, 503),
  'deep members of mcp, many times': () => many(() => `mcp${'.x'.repeat(250)};`, 503),
  'deep operators, many times': () => many(() => `a = ${Array(200).fill('x').join('||')};`, 603),
  'many comments': () => many((i) => `/* c${i} */ x;`, 3),
  'long comments': () => many((i) => `// ${i} ${words(70)}\nx;`, 3),
  'one long comment': () => `/* ${words(250_000)} */ return 1;`,
  'one long line': () => many((i) => `x${i % 10}();`, 160, ''),
  'one long string': () => `return "${words(250_000)}";`,
  'one long string passed': () => `return mcp.a.b({ k: "${words(250_000)}" });`,
  'one long template': () => `return \`${words(250_000)}\`;`,
  'one long identifier': () => `return ${'x'.repeat(250_000)};`,
  'one long regular expression': () => `return /${'x'.repeat(250_000)}/;`,
  'many regular expressions': () => many((i) => `/x${i}/;`, 3),
  'many template parts': () => `return \`${many((i) => `\${x${i}} `, 5)}\`;`,
  'many templates': () => many(() => `\`a\${x}b\${y}c\`;`, 9),
  'nested templates': () => many(() => `\`${nested('${`', 'x', '`}', 90)}\`;`, 560),
  'many types': () => many((i) => `type T${i} = { a: string };`, 9),
  'many interfaces': () => many((i) => `interface I${i} { a: string }`, 8),
  'one large type': () => `type T = {\n${many((i) => `k${i}: string;`, 4)}\n}; return (args as T).k1;`,
  'nested types': () => many((i) => `type T${i} = ${nested('{ a: ', 'string', ' }', 80)};`, 330),
  'many assertions': () => many(() => 'x = y as string;', 7),
  'assertions on assertions': () => many(() => `x = y${'\nas any'.repeat(240)};`, 490),
  'marks on marks': () => many(() => `x = y${'!'.repeat(240)};`, 250),
  'assertions around a comment': () =>
    `x = ${nested('(\n', 'y', ' as any)\n', 250)}/*${`${words(70)}\n`.repeat(3300)}*/;`,
  'many classes': () => many((i) => `class C${i} { private x?: number; static y = 1; }`, 18),
  'many labels': () => many((i) => `l${i}: for (;;) { break l${i}; }`, 14),
  'many functions with types': () => many((i) => `function f${i}<T>(this: T, a?: string): void {}`, 18),
  'many switch cases': () => `switch (x) {\n${many((i) => `case "${i}": y();`, 8)}\n}`,
  spaces: () => `return ${' '.repeat(254_000)}1;`,
  lines: () => `return ${'\n'.repeat(254_000)}1;`,
  'many secrets in comments': () => many((i) => `// ghp_${String(i).padStart(36, 'a')}\n1;`, 3),
  'many secrets in strings': () => many((i) => `x = "ghp_${String(i).padStart(36, 'a')}";`, 4),
  'many passwords': () => many((i) => `x = { password: "hunter${i}" };`, 8),
  'comments that never close': () => '/*;\n'.repeat(63_000),
  'strings that never close': () => `x = "${'\\\n\\"'.repeat(60_000)}`,
  'expressions that never close': () => `x = /${'[/];'.repeat(60_000)}`,
  'templates that never close': () => '`${'.repeat(80_000),
  'many faults': () => many((i) => `let a = ${i};`, 5),
};
