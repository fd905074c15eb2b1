// Proves that every regular expression of src/ takes linear time on every text, and fails if it cannot.
//
// Most of them read foreign text, and a quadratic one would block the daemon for everyone. recheck makes an automaton of
// the expression and searches for two ways to read one text. One proof may take seconds, so proved-expressions.json keeps
// what was proved; delete that file to prove everything again.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Node, parseSync, visitorKeys } from 'oxc-parser';
import { check } from 'recheck';

interface Exception {
  file: string;
  /** The beginning of the expression's source, or of the call that makes it. */
  begins: string;
  reason: string;
}

/** Expressions that cannot be proved. Each entry names the bound that makes it harmless. */
const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'src/sandbox/guest/clone.ts',
    begins: 'new RegExp(value.source',
    reason: 'runs in the sandbox, on the guest’s own time',
  },
  {
    file: 'src/sandbox/child/failure.ts',
    begins: 'new RegExp(`${CODE_FILE',
    reason: 'a constant with two numbers after it',
  },
  {
    file: 'src/sandbox/bundle-scripts.ts',
    begins: '^import\\b[^;]*;',
    reason: 'reads files of PML itself',
  },
];

interface Expression {
  /** `src/code/parse.ts:33` */
  place: string;
  file: string;
  /** The call, if the source is not a literal. */
  call?: string;
  source: string;
  flags: string;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROVED = new URL('./proved-expressions.json', import.meta.url);
const TIMEOUT_MS = 60_000;

function expressionsIn(file: string): Expression[] {
  const text = readFileSync(`${ROOT}${file}`, 'utf8');
  const found: Expression[] = [];
  const pending: Node[] = [...parseSync(file, text).program.body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const place = `${file}:${text.slice(0, node.start).split('\n').length}`;
    const written = writtenOut(node);
    if (written) found.push({ place, file, ...written });
    else if (makesExpression(node))
      found.push({ place, file, source: '', flags: '', call: text.slice(node.start, node.end) });
    pending.push(...childrenOf(node));
  }
  return found;
}

/** Reads source and flags of `/a/i` and of `new RegExp('a', 'i')`. */
function writtenOut(node: Node): Pick<Expression, 'source' | 'flags'> | undefined {
  if (node.type === 'Literal' && 'regex' in node)
    return { source: node.regex.pattern, flags: node.regex.flags };
  if (!makesExpression(node)) return undefined;
  const [source, flags] = node.arguments.map((one) => (one.type === 'Literal' ? one.value : undefined));
  if (typeof source !== 'string' || (node.arguments.length > 1 && typeof flags !== 'string'))
    return undefined;
  return { source, flags: String(flags ?? '') };
}

function makesExpression(node: Node): node is Extract<Node, { type: 'NewExpression' | 'CallExpression' }> {
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  return isCall && node.callee.type === 'Identifier' && node.callee.name === 'RegExp';
}

function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Record<string, Node | (Node | null)[] | null | undefined>;
  return (visitorKeys[node.type] ?? [])
    .flatMap((key) => [fields[key]].flat())
    .filter((child) => child != null);
}

/** Returns why an expression may take more than linear time, with an attack; undefined if it is linear. */
async function faultOf({ source, flags }: Expression): Promise<string | undefined> {
  // recheck does not know the flag `d`, which adds offsets to matches and changes nothing else.
  const found = await check(source, flags.replace('d', ''), { checker: 'automaton', timeout: TIMEOUT_MS });
  if (found.status === 'safe') return undefined;
  if (found.status === 'vulnerable') return `is ${found.complexity.summary}, as on ${found.attack.pattern}`;
  const { kind } = found.error;
  return `cannot be proved: ${'message' in found.error ? `${kind}, ${found.error.message}` : kind}`;
}

/** Finds the faults of all expressions. Skips expressions that were proved before. */
async function faults(expressions: readonly Expression[]): Promise<ReadonlyMap<string, string>> {
  const before = new Set(readProved());
  const all = new Map(expressions.map((one) => [textOf(one), one]));
  const open = [...all].filter(([text]) => !before.has(text));
  const found = new Map<string, string>();
  const work = async () => {
    for (let next = open.pop(); next; next = open.pop()) {
      const fault = await faultOf(next[1]);
      if (fault !== undefined) found.set(next[0], fault);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const proved = [...all.keys()].filter((text) => !found.has(text)).sort();
  writeFileSync(PROVED, `${JSON.stringify(proved, null, 2)}\n`);
  return found;
}

function readProved(): string[] {
  try {
    return JSON.parse(readFileSync(PROVED, 'utf8'));
  } catch {
    return [];
  }
}

function textOf({ source, flags }: Expression): string {
  return `/${source}/${flags}`;
}

const files = globSync('src/**/*.{ts,js}', { cwd: ROOT }).filter(
  (file) => !/test(?:ing)?\.ts$/.test(file) && !file.startsWith('src/testing/'),
);
const expressions = files.sort().flatMap((file) => expressionsIn(file));
const excused = new Set<Exception>();
const isExcused = ({ file, source, call }: Expression) => {
  const fitting = EXCEPTIONS.find((one) => one.file === file && (call ?? source).startsWith(one.begins));
  if (fitting) excused.add(fitting);
  return fitting !== undefined;
};
const asked = expressions.filter((one) => !isExcused(one));
const found = await faults(asked.filter(({ call }) => call === undefined));
const problems = asked.flatMap((one) => {
  if (one.call !== undefined) return `${one.place}: ${one.call} is not written out`;
  const fault = found.get(textOf(one));
  return fault === undefined ? [] : `${one.place}: ${textOf(one)} ${fault}`;
});
const idle = EXCEPTIONS.filter((one) => !excused.has(one));
problems.push(
  ...idle.map(({ file, begins }) => `${file}: there is no ${begins} any more: drop the exception`),
);
for (const problem of problems) console.error(problem);
console.log(`${expressions.length} regular expressions, ${problems.length} not proved to be linear`);
// recheck leaves a child process running.
process.exit(problems.length > 0 ? 1 : 0);
