/**
 * Programs as models write them, right and wrong, with the answer that each must get. `/dir` stands for the folder of the
 * filesystem server, which holds `a.txt` ("alpha"), `b.json` and nothing else when a program starts.
 */
export interface ModelProgram {
  readonly title: string;
  /** The input of pml_execute, or its code alone. */
  readonly send: string | object;
  /** The result of a program that is accepted. */
  readonly result?: unknown;
  /** A warning that its answer holds. */
  readonly warning?: RegExp;
  /** Programs of one group are remembered as one capability. */
  readonly group?: string;
  /** The error of a program that is refused or fails, as `code: message hint`. */
  readonly error?: readonly RegExp[];
  /** Makes the input that must succeed from the text of the error; by default the call that the error says to write. */
  readonly next?: (text: string) => string | object;
  /** The result of what the error says to send. */
  readonly nextResult?: unknown;
  /** A file that must be there before that is sent, with `late` in it: its lack was the cause. */
  readonly mend?: string;
}

const READ = 'mcp.filesystem.read_text_file({ path: "/dir/a.txt" })';
const ALPHA = { content: 'alpha' };

export const ACCEPTED: readonly ModelProgram[] = [
  { title: 'the documented spelling', send: `return await ${READ}`, result: ALPHA, group: 'read' },
  {
    title: 'a local name',
    send: `const file = await ${READ};\nreturn file;`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'the listed name as a function',
    send: 'return await mcp__filesystem__read_text_file({ path: "/dir/a.txt" })',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'the short listed name as a function',
    send: 'const file = await filesystem__read_text_file({ path: "/dir/a.txt" });\nreturn file;',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'the listed name with the prefix of a client',
    send: 'return await mcp__pml__mcp__filesystem__read_text_file({ path: "/dir/a.txt" })',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'the name of the tool alone',
    send: 'return (await list_directory({ path: "/dir/" })).content.includes("a.txt")',
    result: true,
  },
  {
    title: 'the server without mcp',
    send: 'return await filesystem.read_text_file({ path: "/dir/a.txt" })',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'the listed name as a key',
    send: 'return await mcp["mcp__filesystem__read_text_file"]({ path: "/dir/a.txt" })',
    result: ALPHA,
  },
  {
    title: 'the name with a colon',
    send: 'return await mcp["filesystem:read_text_file"]({ path: "/dir/a.txt" })',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a call by name',
    send: 'return await mcp.call("filesystem:read_text_file", { path: "/dir/a.txt" })',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'camelCase',
    send: 'return await mcp.filesystem.readTextFile({ path: "/dir/a.txt" })',
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a fenced block',
    send: `\`\`\`ts\nconst file = await ${READ};\nreturn file;\n\`\`\``,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a fenced block of JavaScript, with spaces around it',
    send: `\n\n  \`\`\`javascript\nreturn await ${READ};\n\`\`\`\n`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'prose around a fenced block',
    send: `Here is the code that reads it:\n\n\`\`\`typescript\nreturn await ${READ}\n\`\`\`\n\nIt returns the text.`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a block that is not closed',
    send: `\`\`\`\nreturn await ${READ}`,
    result: ALPHA,
    group: 'read',
  },
  { title: 'one expression', send: `await ${READ}`, result: ALPHA, group: 'read' },
  { title: 'a call that nobody awaits', send: READ, result: ALPHA, group: 'read' },
  {
    title: 'a trailing expression',
    send: `const file = await ${READ};\nfile`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a trailing property',
    send: `const { content } = await ${READ};\ncontent.trim().length;`,
    result: 5,
  },
  {
    title: 'a trailing object in parentheses',
    send: `const { content } = await ${READ};\n({ content })`,
    result: ALPHA,
  },
  {
    title: 'a default export',
    send: `export default async () => {\n  return await ${READ};\n}`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a default export that is an expression',
    send: `export default async () => ${READ};`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a default export with a name and helpers',
    send: `const path: string = "/dir/a.txt";\nexport default async function main() { return size(await mcp.filesystem.read_text_file({ path })) }\nfunction size({ content }: { content: string }) { return content.length }`,
    result: 5,
  },
  {
    title: 'a default export with the globals as parameters',
    send: `export default async function ({ mcp, args }) { return await ${READ} }`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a function that takes the arguments',
    send: { code: 'async (input) => input.a + input.b', args: { a: 1, b: 2 } },
    result: 3,
  },
  {
    title: 'an arrow function',
    send: `async () => { const file = await ${READ}; return file; }`,
    result: ALPHA,
    group: 'read',
  },
  {
    title: 'a function that is called at once',
    send: `(async () => { return await ${READ} })()`,
    result: ALPHA,
  },
  {
    title: 'main, called at the end',
    send: `async function main() {\n  return await ${READ};\n}\nmain();`,
    result: ALPHA,
  },
  {
    title: 'main, called by nobody',
    send: `async function main(): Promise<unknown> {\n  return await ${READ};\n}`,
    result: ALPHA,
  },
  {
    title: 'calls side by side',
    send: `const [a, b] = await Promise.all([${READ}, mcp.filesystem.read_text_file({ path: "/dir/b.json" })]);\nreturn a.content.length + JSON.parse(b.content).n`,
    result: 12,
  },
  {
    title: 'types, a loop and a condition',
    send: 'interface File { content: string }\nlet total: number = 0;\nfor (const name of ["a.txt", "b.json"] as const) {\n  const { content } = (await mcp.filesystem.read_text_file({ path: "/dir/" + name })) as File;\n  if (content.length > 0) total += 1;\n}\nreturn total;',
    result: 2,
  },
  {
    title: 'the names of the servers',
    send: 'return Object.keys(mcp).sort()',
    result: ['filesystem', 'office', 'work'],
  },
  {
    title: 'the names of tools',
    send: 'return Object.keys(mcp.work).includes("read") && Object.entries(mcp.work).length === Object.keys(mcp.work).length',
    result: true,
  },
  {
    title: 'a loop over the servers',
    send: 'const found = [];\nfor (const server in mcp) if (Object.keys(mcp[server]).includes("read_text_file")) found.push(server);\nreturn found.sort()',
    result: ['filesystem', 'office'],
  },
  {
    title: 'an error that is caught',
    send: 'try { await mcp.work.refuse({ why: "no" }) } catch (error) { return error.message }',
    result: 'no',
  },
  {
    title: 'arguments that only the run knows',
    send: {
      code: 'return (await mcp.office.create_invoice(args.invoice)).content.length > 0',
      args: { invoice: { customer: 'Acme', amount: 3 } },
    },
    result: true,
  },
  {
    title: 'a spread that holds what is required',
    send: 'const base = { path: "/dir/a.txt" };\nreturn await mcp.filesystem.read_text_file({ ...base, head: 1 })',
    result: ALPHA,
  },
  {
    title: 'a number as text, which servers may read',
    send: 'return (await mcp.office.create_invoice({ customer: "Acme", amount: "3" })).content.length > 0',
    result: true,
  },
  {
    title: 'a parameter that the schema does not name, and does not forbid',
    send: 'return (await mcp.office.send_email({ to: "a@b.example", subject: "s", cc: "c" })).content.length > 0',
    result: true,
  },
  {
    title: 'a result that is only printed',
    send: `const file = await ${READ};\nconsole.log(file.content);`,
    result: null,
    warning: /Write `return` before its last value, `file\.content`/,
  },
  {
    title: 'no return after a declaration',
    send: `const file = await ${READ};`,
    result: null,
    warning: /Write `return` before its last value, `file`/,
  },
  {
    title: 'a property that the result does not have',
    send: `const file = await ${READ};\nreturn file.text`,
    result: null,
    warning: /`file\.text` is undefined: mcp\.filesystem\.read_text_file returned \{ content: string \}/,
  },
];

export const write = (text: string): string => `return ${quoted(text, /Write `(await [^`]+)`/)}`;

/** The part of an error that a pattern picks out. It must be there: nothing may be sent that the error does not hold. */
function quoted(text: string, pattern: RegExp): string {
  const [, part] = pattern.exec(text) ?? [];
  if (part === undefined) throw new Error(`no ${pattern} in: ${text}`);
  return part;
}

/** The input of pml_discover that an error holds. */
const discover = (text: string) => ({
  tool: 'pml_discover',
  input: JSON.parse(quoted(text, /`pml_discover\((\{.*?\})\)`/)),
});

const failedCall = (text: string): string =>
  `return await ${quoted(text, /(mcp\.[\w.]+\(\{[^`]*?\}\))(?: failed|\.)/)}`;

export const REFUSED: readonly ModelProgram[] = [
  {
    title: 'a parameter by another name',
    send: 'return await mcp.filesystem.read_text_file({ file: "/dir/a.txt" })',
    error: [
      /^invalid_arguments: read_text_file takes \{ path: string; tail\?: number; head\?: number \}; you gave file \(line 1, column 14\)/,
      /Nothing has run/,
    ],
    nextResult: ALPHA,
  },
  {
    title: 'a parameter by another name, after something that writes',
    send: 'await mcp.work.keep({ item: "must not run" });\nconst text = await mcp.filesystem.read_text_file({ filename: "/dir/a.txt" });\nreturn text',
    error: [/read_text_file takes .*you gave filename \(line 2, column 20\)/],
    nextResult: ALPHA,
  },
  {
    title: 'a text instead of an object',
    send: 'return await mcp.filesystem.read_text_file("/dir/a.txt")',
    error: [/read_text_file takes .*; you gave "[^"]+a\.txt" instead of an object/],
    nextResult: ALPHA,
  },
  {
    title: 'no arguments',
    send: 'return await mcp.filesystem.read_text_file()',
    error: [/read_text_file takes .*; you gave no arguments/],
    next: (text) => write(text).replace('<path>', '/dir/a.txt'),
    nextResult: ALPHA,
  },
  {
    title: 'a required parameter is missing',
    send: 'return await mcp.filesystem.write_file({ path: "/dir/c.txt" })',
    error: [/write_file takes \{ path: string; content: string \}; you gave path/],
    next: (text) => `${write(text).replace('<content>', 'c').replace('return ', '')}; return 1`,
    nextResult: 1,
  },
  {
    title: 'a word for a number',
    send: 'return await mcp.filesystem.read_text_file({ path: "/dir/a.txt", head: "all" })',
    error: [/read_text_file takes .*; head cannot be "all"/],
    nextResult: ALPHA,
  },
  {
    title: 'one value for a list',
    send: 'return (await mcp.filesystem.read_multiple_files({ paths: "/dir/a.txt" })).content.includes("alpha")',
    error: [/read_multiple_files takes \{ paths: string\[\] \}; paths cannot be "[^"]+a\.txt"/],
    next: (text) => `return (${write(text).slice('return '.length)}).content.includes("alpha")`,
    nextResult: true,
  },
  {
    title: 'none of the choices',
    send: 'return await mcp.office.list_issues({ repository: "a/b", state: "opened" })',
    error: [/list_issues takes .*state\?: "open" \| "closed" \| "all".*; state cannot be "opened"/],
  },
  {
    title: 'wrong arguments of the listed name',
    send: 'return await mcp__filesystem__read_text_file({ filepath: "/dir/a.txt" })',
    error: [/read_text_file takes .*; you gave filepath \(line 1, column 14\)/],
    nextResult: ALPHA,
  },
  {
    title: 'wrong arguments in a fenced block',
    send: '```ts\nconst x = 1;\nreturn await mcp.filesystem.read_text_file({ file_path: "/dir/a.txt" })\n```',
    error: [/you gave file_path \(line 3, column 14\)/],
    nextResult: ALPHA,
  },
  {
    title: 'wrong arguments of a capability',
    send: 'return await mcp.text.upper({ value: "abc" })',
    error: [/^invalid_arguments: text:upper takes \{ text: string \}; you gave value/],
    nextResult: 'ABC',
  },
  {
    title: 'the only parameter of a capability, which has a default, by another name',
    send: 'return await mcp.lower.file({ file: "/dir/b.json" })',
    error: [/lower:file takes \{ path\?: string \}; you gave file/],
    nextResult: '{"n":7}',
  },
  {
    title: 'wrong arguments that only the server refuses',
    send: {
      code: 'const input: any = { file: args.file };\nreturn await mcp.filesystem.read_text_file(input)',
      args: { file: '/dir/a.txt' },
    },
    error: [
      /^code_exception: mcp\.filesystem\.read_text_file\(\{ file: "[^"]+a\.txt" \}\) failed: /,
      /read_text_file takes \{ path: string.*; you gave file/,
    ],
    nextResult: ALPHA,
  },
  {
    title: 'a misspelt tool',
    send: 'return await mcp.filesystem.read_txt_file({ path: "/dir/a.txt" })',
    error: [
      /^tool_not_found: Not found: filesystem:read_txt_file \(line 1, column 14\)\. Did you mean filesystem:read_text_file/,
    ],
    nextResult: ALPHA,
  },
  {
    title: 'a misspelt server',
    send: 'return await mcp.file_systems.read_text_file({ path: "/dir/a.txt" })',
    error: [/Not found: file_systems:read_text_file .*Did you mean (?:filesystem|office):read_text_file/],
    next: (text) => write(text).replace('office', 'filesystem'),
    nextResult: ALPHA,
  },
  {
    title: 'half the name of a tool, with a wrong parameter',
    send: 'return await mcp.filesystem.read_text({ file: "/dir/a.txt" })',
    error: [/Not found: filesystem:read_text /],
    nextResult: ALPHA,
  },
  {
    title: 'a server that does not exist',
    send: 'return await mcp.postgres.query_rows({ sql: "select 1" })',
    error: [/Not found: postgres:query_rows/, /(?:Did you mean|The servers: filesystem, office, work)/],
    next: discover,
  },
  {
    title: 'a tool that a server does not have',
    send: 'return await mcp.work.zzzzzzz({})',
    error: [/Not found: work:zzzzzzz/, /The tools of work: .*\bread\b/],
    next: discover,
  },
  {
    title: 'a misspelt tool that only the run knows',
    send: {
      code: 'return await mcp[args.server][args.tool]({ path: "/dir/a.txt" })',
      args: { server: 'filesystem', tool: 'read_txt_file' },
    },
    error: [
      /There is no tool or capability "filesystem:read_txt_file"\. Did you mean "filesystem:read_text_file"/,
    ],
    next: (text) => `return await mcp["${/Did you mean "([^"]+)"/.exec(text)?.[1]}"]({ path: "/dir/a.txt" })`,
    nextResult: ALPHA,
  },
  {
    title: 'a misspelt capability in code',
    send: 'return await mcp.text.uper({ text: "abc" })',
    error: [/Not found: text:uper .*Did you mean text:upper/],
    nextResult: 'ABC',
  },
  {
    title: 'a misspelt capability by name',
    send: { capability: 'text:uper', args: { text: 'abc' } },
    error: [/^capability_not_found: Capability not found: text:uper Did you mean "text:upper"/],
    next: (text) => ({ capability: /Did you mean "([^"]+)"/.exec(text)?.[1], args: { text: 'abc' } }),
    nextResult: 'ABC',
  },
  {
    title: 'a tool called as a capability',
    send: { capability: 'filesystem:read_text_file', args: { path: '/dir/a.txt' } },
    error: [
      /Capability not found: filesystem:read_text_file "filesystem:read_text_file" is a tool of filesystem/,
    ],
    next: (text) =>
      `return ${/as `(await [^`]+)`/.exec(text)?.[1]?.replace('{ … }', '{ path: "/dir/a.txt" }')}`,
    nextResult: ALPHA,
  },
  {
    title: 'a version that does not exist',
    send: 'return await mcp["text:upper@7"]({ text: "abc" })',
    error: [/^version_not_found: Version 7 not found for text:upper .*cap_history lists/],
    nextResult: 'ABC',
  },
  {
    title: 'missing arguments of a capability by name',
    send: { capability: 'text:upper', args: {} },
    error: [/^invalid_arguments: Wrong arguments for "text:upper": "text" is missing/],
    next: (text) => JSON.parse(/pml_execute\((\{.*?\})\)/.exec(text)?.[1] ?? '{}'),
  },
  {
    title: 'a property of a property that the result does not have',
    send: `const file = await ${READ};\nreturn file.contents.trim()`,
    error: [
      /^code_exception: TypeError: Cannot read properties of undefined \(reading 'trim'\) \(line 2, column 22\)/,
      /mcp\.filesystem\.read_text_file returned \{ content: string \}/,
    ],
    next: (text) =>
      `const file = await ${READ};\nreturn ${quoted(text, /Write `(file\.content\.trim\(\))`/)}`,
    nextResult: 'alpha',
  },
  {
    title: 'a result that is an object, read as text',
    send: `const text = await ${READ};\nreturn text.split("\\n")`,
    error: [
      /text\.split is not a function/,
      /mcp\.filesystem\.read_text_file returned \{ content: string \}/,
    ],
    next: (text) => `const text = await ${READ};\nreturn ${quoted(text, /Write `(text\.[^`]+)`/)}`,
    nextResult: ['alpha'],
  },
  {
    title: 'a result that is an object, parsed as JSON',
    send: 'const text = await mcp.filesystem.read_text_file({ path: "/dir/b.json" });\nreturn JSON.parse(text).n',
    error: [/JSON/, /mcp\.filesystem\.read_text_file returned \{ content: string \}/],
    next: (text) =>
      `const text = await mcp.filesystem.read_text_file({ path: "/dir/b.json" });\nreturn JSON.parse(${quoted(text, /Write `(text\.[^`]+)`/)}).n`,
    nextResult: 7,
  },
  {
    title: 'a text that holds JSON, read as the list that it holds',
    send: 'const t = await mcp.filesystem.directory_tree({ path: "/dir/" });\nreturn t.map(e => e.name)',
    error: [
      /t\.map is not a function/,
      /returned \{ content: string \}\. `t\.content` is text that holds JSON\./,
    ],
    next: (text) =>
      `const t = await mcp.filesystem.directory_tree({ path: "/dir/" });\nreturn ${quoted(text, /Write `(JSON[^`]+)`/)}.includes("a.txt")`,
    nextResult: true,
  },
  {
    title: 'a text whose property is read as a list',
    send: 'const { content } = await mcp.filesystem.list_directory({ path: "/dir/" });\nreturn content.map(line => {\n  return line;\n})',
    error: [/content\.map is not a function/, /`content` is text\./],
    next: (text) =>
      `const { content } = await mcp.filesystem.list_directory({ path: "/dir/" });\nreturn ${quoted(text, /Write `(content[^`]+)`/).replace('…', 'l => l')}.includes("[FILE] a.txt")`,
    nextResult: true,
  },
  {
    title: 'a text that is iterated over',
    send: 'const l = await mcp.filesystem.list_directory({ path: "/dir/" });\nfor (const e of l) console.log(e)',
    error: [/l is not iterable/],
    next: (text) =>
      `const l = await mcp.filesystem.list_directory({ path: "/dir/" });\nfor (const e of ${quoted(text, /Write `([^`]+)`/)}) if (e === "[FILE] a.txt") return true`,
    nextResult: true,
  },
  {
    title: 'a list that the result does not have',
    send: 'const l = await mcp.filesystem.list_directory({ path: "/dir/" });\nreturn l.entries.map(e => e)',
    error: [/reading 'map'/],
    next: (text) =>
      `const l = await mcp.filesystem.list_directory({ path: "/dir/" });\nreturn ${quoted(text, /Write `([^`]+)`/)}.includes("[FILE] a.txt")`,
    nextResult: true,
  },
  {
    title: 'a call that nobody awaits, then a property of its promise',
    send: 'const rows = mcp.work.kept();\nreturn rows.map((row) => row)',
    error: [
      /rows\.map is not a function/,
      /Nothing waits for `mcp\.work\.kept\(…\)`: write `await` before it/,
    ],
    next: (text) =>
      `const rows = await ${/waits for `(.*?)\(…\)`/.exec(text)?.[1]}();\nreturn rows.map((row) => row).length >= 0`,
    nextResult: true,
  },
  {
    title: 'one of two results misread',
    send: `const [a, b] = await Promise.all([mcp.work.read({ path: "x" }), ${READ}]);\nreturn [a.path, b.data.length]`,
    error: [/mcp\.filesystem\.read_text_file returned \{ content: string \}/],
    next: (text) =>
      `const [a, b] = await Promise.all([mcp.work.read({ path: "x" }), ${READ}]);\nreturn [a.path, ${quoted(text, /Write `(b\.[^`]+)`/)}]`,
    nextResult: ['x', 5],
  },
  {
    title: 'a tool that fails after something was done',
    send: 'await mcp.work.keep({ item: "one" });\nawait mcp.work.read({ path: "x" });\nreturn await mcp.filesystem.read_text_file({ path: "/dir/late.txt" })',
    error: [
      /^code_exception: mcp\.filesystem\.read_text_file\(\{ path: "[^"]*late\.txt" \}\) failed: ENOENT.*\(line 3, column 29\)/,
      /Already done: mcp\.work\.keep\(\{ item: "one" \}\)\. 1 more call only read\./,
      /Once the call that failed can succeed, go on from it, and do not repeat what is already done\./,
    ],
    mend: 'late.txt',
    next: failedCall,
    nextResult: { content: 'late' },
  },
  {
    title: 'a file that is not there',
    send: 'return await mcp.filesystem.read_text_file({ path: "/dir/none.txt" })',
    error: [
      /^code_exception: mcp\.filesystem\.read_text_file\(\{ path: "[^"]*none\.txt" \}\) failed: ENOENT/,
    ],
    mend: 'none.txt',
    next: failedCall,
    nextResult: { content: 'late' },
  },
  {
    title: 'a failure that the code wraps',
    send: 'try { await mcp.filesystem.read_text_file({ path: "/dir/wrapped.txt" }) } catch (error) { throw new Error("Could not: " + error.message) }',
    error: [
      /^code_exception: Could not: ENOENT/,
      /The call that failed: mcp\.filesystem\.read_text_file\(\{ path: "[^"]*wrapped\.txt" \}\)/,
    ],
    mend: 'wrapped.txt',
    next: failedCall,
    nextResult: { content: 'late' },
  },
  {
    title: 'a capability whose tool fails',
    send: { code: 'return await mcp.text.of_file({ path: "/dir/inside.txt" })' },
    error: [
      /^code_exception: Capability "text:of_file" failed: mcp\.filesystem\.read_text_file\(\{ path: "[^"]*inside\.txt" \}\) failed: ENOENT/,
    ],
    mend: 'inside.txt',
    next: failedCall,
    nextResult: { content: 'late' },
  },
  {
    title: 'a run that takes too long',
    send: {
      code: 'await mcp.work.keep({ item: "slow" });\nreturn (await mcp.work.wait({ ms: 3000 })).waited',
      options: { timeout: 1000 },
    },
    error: [
      /^code_timeout: The run took longer than 1000 ms\./,
      /It was waiting for mcp\.work\.wait\(\{ ms: 3000 \}\)\. Allow more with options\.timeout: at most 30000/,
      /Already done: mcp\.work\.keep\(\{ item: "slow" \}\)/,
    ],
    next: (text) => ({
      code: 'return (await mcp.work.wait({ ms: 1200 })).waited',
      options: { timeout: Number(/at most (\d+)/.exec(text)?.[1]) },
    }),
    nextResult: 1200,
  },
  {
    title: 'two arguments',
    send: 'return await mcp.filesystem.write_file("/dir/c.txt", "c")',
    error: [
      /write_file takes \{ path: string; content: string \}; you gave "[^"]+c\.txt", "c" instead of an object/,
    ],
    next: (text) => `${write(text)}.then(() => 1)`.replace('await ', ''),
    nextResult: 1,
  },
  {
    title: 'an argument without args',
    send: { code: 'return text', args: { text: 'x' } },
    error: [/ReferenceError: text is not defined \(line 1, column 8\)/],
    next: (text) => ({ code: `return ${quoted(text, /Write `(args\.\w+)`/)}`, args: { text: 'x' } }),
    nextResult: 'x',
  },
  {
    title: 'an import of mcp',
    send: 'import { mcp } from "pml";\nreturn (await mcp.work.read({ path: "x" })).path',
    error: [/`import` is not available/, /Delete that line: `mcp` is a global\.$/],
    next: (text) =>
      `${quoted(text, /(Delete) that line/) && ''}return (await mcp.work.read({ path: "x" })).path`,
    nextResult: 'x',
  },
  {
    title: 'a tool by callTool, with its server',
    send: 'return await mcp.callTool("filesystem", "read_text_file", { path: "/dir/a.txt" })',
    error: [/^tool_not_found: Not found: callTool/, /Nothing has run/],
    nextResult: ALPHA,
  },
  {
    title: 'a tool by callTool, with its whole name',
    send: 'return await mcp.callTool("filesystem:read_text_file", { path: "/dir/a.txt" })',
    error: [/^tool_not_found: Not found: callTool/],
    nextResult: ALPHA,
  },
  {
    title: 'arguments as text',
    send: { code: 'return args.a', args: '{"a":1}' },
    error: [/^invalid_arguments: .*"args"/, /Pass "args" as an object, not as text\./],
    next: (text) => ({ code: 'return args.a', args: text.includes('as an object') && { a: 1 } }),
    nextResult: 1,
  },
  {
    title: 'an option beside the options',
    send: { code: 'return 1', timeout: 1000 },
    error: [/^invalid_arguments: .*"timeout"/, /"timeout" belongs in "options"/],
    next: (text) => ({ code: 'return 1', options: { [quoted(text, /options\.(\w+)/)]: 1000 } }),
    nextResult: 1,
  },
  {
    title: 'a name that nothing has',
    send: 'return await text_uper({ text: "x" })',
    error: [/ReferenceError: text_uper is not defined/, /Call a tool or capability as `mcp\.text\.upper`/],
    next: (text) => `return await ${/`(mcp\.text\.\w+)`/.exec(text)?.[1]}({ text: "x" })`,
    nextResult: 'X',
  },
  {
    title: 'fetch',
    send: 'const page = await fetch("https://example.com");\nreturn page.status',
    error: [
      /^code_denied: ReferenceError: fetch is not defined\. The sandbox has no network: call a tool through mcp\./,
    ],
    next: (text) =>
      `return (${/For example `(await .*?)`/.exec(text)?.[1]?.replace('<url>', 'https://example.com')}).content.length > 0`,
    nextResult: true,
  },
  {
    title: 'a module',
    send: 'import fs from "fs";\nreturn fs.readFileSync("/dir/a.txt", "utf8")',
    error: [/^syntax_error: `import` is not available \(line 1, column 1\)/, /Reach tools through `mcp`/],
    next: (text) => quoted(text, /For example `([^`]+)`/).replace('<path>', '/dir/a.txt'),
    nextResult: ALPHA,
  },
  {
    title: 'a syntax error in a fenced block',
    send: '```ts\nconst a = 1;\nconst list: string[] = ;\n```',
    error: [/^syntax_error: Unexpected token \(line 3, column 24\)/],
    next: (text) => `${quoted(text, /line 3 should be `([^`]+)`/)}\nreturn list`,
    nextResult: null,
  },
  {
    title: 'a bracket that is missing',
    send: 'const names = ["a", "b"];\nreturn names.map((name) => name.toUpperCase();',
    error: [/^syntax_error: /, /Perhaps line 2/],
    next: (text) => `const names = ["a", "b"];\n${quoted(text, /line 2 should be `([^`]+)`/)}`,
    nextResult: ['A', 'B'],
  },
  {
    title: 'a block that is never closed',
    send: 'const found = [];\nfor (const name of ["a"]) {\n  found.push(name);\nreturn found;\n',
    error: [/^syntax_error: /],
    next: (text) =>
      `const found = [];\nfor (const name of ["a"]) {\n  found.push(name);\nreturn found;\n${quoted(text, /line 5 should be `([^`]+)`/)}`,
    nextResult: ['a'],
  },
  {
    title: 'another language',
    send: '```python\nprint("hello")\n```',
    error: [/^syntax_error: The code is fenced as python/, /Send one program in TypeScript/],
    next: (text) => quoted(text, /For example `([^`]+)`/).replace('<path>', '/dir/'),
  },
  {
    title: 'several blocks',
    send: '```ts\nconst a = 1;\n```\nand\n```ts\nreturn a\n```',
    error: [/^syntax_error: The code has several fenced blocks/],
    next: (text) => quoted(text, /As one:\n([\s\S]+)$/),
    nextResult: 1,
  },
  {
    title: 'an error on a line where names were rewritten',
    send: 'const file = await mcp__work__read({ path: "x" }); file.lines.length',
    error: [
      /\(reading 'length'\) \(line 1, column 63\)/,
      /mcp\.work\.read returned \{ path: string; encoding: string \}/,
    ],
    next: (text) =>
      `const file = await mcp__work__read({ path: "x" }); ${quoted(text, /Write `(file\.path[^`]+)`/)}`,
    nextResult: 1,
  },
  {
    title: 'a misspelt listed name',
    send: 'await mcp.work.keep({ item: "must not run" });\nreturn await mcp__work__raed({ path: "x" })',
    error: [/^tool_not_found: Not found: work:raed/, /Did you mean work:read/],
    next: (text) => `return (${/Write `(await .*?)`/.exec(text)?.[1]}).path`,
    nextResult: 'x',
  },
  {
    title: 'a misspelt listed name with the prefix of a client',
    send: 'await mcp.work.keep({ item: "must not run" });\nreturn await mcp__pml__work__raed({ path: "x" })',
    error: [/^tool_not_found: Not found: work:raed/],
    next: (text) => `return (${/Write `(await .*?)`/.exec(text)?.[1]}).path`,
    nextResult: 'x',
  },
  {
    title: "a capability's name after the name of a server",
    send: 'return await mcp__work__text__upper({ text: "must not run" })',
    error: [/^tool_not_found: Not found: work:text__upper/],
    nextResult: 'MUST NOT RUN',
  },
  {
    title: 'the name of a tool that two servers have',
    send: 'const x = 1;\nreturn await read_text_file({ path: "/dir/a.txt" })',
    error: [/ReferenceError: read_text_file is not defined/, /`mcp\.office\.read_text_file`/],
    next: (text) => `return await ${/`(mcp\.filesystem\.\w+)`/.exec(text)?.[1]}({ path: "/dir/a.txt" })`,
    nextResult: ALPHA,
  },
];
