import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comment, type Node, parseSync } from 'oxc-parser';
import { firstSentence } from './doc-comment.ts';
import { subTokens } from './score.ts';

/** A function whose author wrote down what it does and named it. */
export interface DocumentedFunction {
  package: string;
  name: string;
  /** The first sentence of its doc comment. */
  intent: string;
  /** Its code without its name. */
  code: string;
  parameters: string[];
}

const MODULES = join(import.meta.dirname, '../../node_modules');
/** Packages that are installed as sources with doc comments, and the files of each that hold them once. */
const PACKAGES: Readonly<Record<string, string>> = {
  'es-toolkit': 'dist/**/*.mjs',
  'date-fns': '*.js',
  ramda: 'es/*.js',
  hono: 'dist/**/*.js',
  undici: 'lib/**/*.js',
  yaml: 'dist/**/*.js',
  diff: 'libesm/**/*.js',
  jszip: 'lib/**/*.js',
  ws: 'lib/*.js',
  express: 'lib/*.js',
  'body-parser': '**/*.js',
  negotiator: 'lib/*.js',
  'lru-cache': 'dist/esm/*.js',
  ink: 'build/**/*.js',
  pino: 'lib/*.js',
  'prom-client': 'lib/**/*.js',
  'pure-rand': 'lib/esm/**/*.js',
  'source-map-js': 'lib/*.js',
  'fast-check': 'lib/**/*.js',
  commander: 'lib/*.js',
  qs: 'lib/*.js',
  nanoid: '*.js',
  'content-disposition': '*.js',
  'content-type': '*.js',
  cookie: '**/*.js',
  finalhandler: '*.js',
  forwarded: '*.js',
  fresh: '*.js',
  'http-errors': '*.js',
  'mime-types': '*.js',
  'proxy-addr': '*.js',
  send: '*.js',
  'type-is': '*.js',
  '@opentelemetry/api': 'build/esm/**/*.js',
  '@modelcontextprotocol/sdk': 'dist/esm/**/*.js',
  '@modelcontextprotocol/inspector': '**/build/**/*.js',
};
/** A function longer than this is a program. */
const MAX_CODE = 20_000;

/** Collects the functions of all installed packages, each name once a package. */
export function documentedFunctions(): DocumentedFunction[] {
  const found = new Map<string, DocumentedFunction>();
  for (const [name, glob] of Object.entries(PACKAGES)) {
    const folder = join(MODULES, name);
    if (!existsSync(folder)) continue;
    for (const file of globSync(glob, { cwd: folder }).sort())
      for (const one of functionsOf(name, readFileSync(join(folder, file), 'utf8'))) {
        const key = `${name}\0${one.name}`;
        if (!found.has(key)) found.set(key, one);
      }
  }
  return [...found.values()];
}

/** Splits by a hash of the name, so that a name of two packages falls into one half. */
export function isHeldOut({ name }: DocumentedFunction): boolean {
  return (createHash('sha256').update(name).digest()[0] as number) % 2 === 1;
}

function functionsOf(from: string, source: string): DocumentedFunction[] {
  const { program, comments } = parseSync('code.js', source, { sourceType: 'module' });
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
  return program.body.flatMap((statement) => {
    const named = namedFunction(statement);
    const doc = named && docBefore(statement, docs, source);
    if (!named || !doc) return [];
    const intent = firstSentence(doc.value);
    const { name, node } = named;
    if (!isUsable(name, intent) || node.end - node.start > MAX_CODE) return [];
    const code = withoutName(source.slice(node.start, node.end), name);
    return [{ package: from, name, intent, code, parameters: parametersOf(node) }];
  });
}

/** Finds the function that a statement declares, also one wrapped in a call: `const f = curry(function () {…})`. */
function namedFunction(statement: Node): { name: string; node: Node } | undefined {
  const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (inner?.type === 'FunctionDeclaration' && inner.id) return { name: inner.id.name, node: inner };
  const [declared] = inner?.type === 'VariableDeclaration' ? inner.declarations : [];
  if (declared?.id.type !== 'Identifier' || !declared.init) return undefined;
  return isFunctionLike(declared.init) ? { name: declared.id.name, node: declared.init } : undefined;
}

/** True for a function, and for one that another function makes: `curry(…)`, but not `z.object(…)` or `Symbol(…)`. */
function isFunctionLike(node: Node): boolean {
  if (node.type === 'CallExpression')
    return node.callee.type === 'Identifier' && /^[a-z_]/.test(node.callee.name);
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

/** Returns the doc comment directly above a statement. */
function docBefore({ start }: Node, docs: readonly Comment[], source: string): Comment | undefined {
  const doc = docs.findLast(({ end }) => end <= start);
  return doc && source.slice(doc.end, start).trim() === '' ? doc : undefined;
}

/** Refuses classes, names of one letter, and comments that give the name away. */
function isUsable(name: string, intent: string): boolean {
  if (!/^[a-z]\w/.test(name) || intent.split(' ').length < 3) return false;
  const isPlainWord = subTokens(name).length === 1 && !intent.includes(`\`${name}`);
  return isPlainWord || !intent.includes(name);
}

/** Removes the name, also where an inner function has it: `_xfind`, `baseFind`. */
function withoutName(code: string, name: string): string {
  return code.replaceAll(new RegExp(`(?<![\\w$])(?:_x?|base|internal)?${name}(?![\\w$])`, 'gi'), '_');
}

function parametersOf(node: Node): string[] {
  const inner =
    node.type === 'CallExpression' ? node.arguments.find(({ type }) => /Function/.test(type)) : node;
  if (!inner || !('params' in inner) || !Array.isArray(inner.params)) return [];
  return inner.params.flatMap((each: Node) => {
    const one = each.type === 'AssignmentPattern' ? each.left : each;
    return one.type === 'Identifier' ? [one.name] : [];
  });
}
