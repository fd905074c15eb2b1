import MagicString from 'magic-string';
import { type CallNode, type Identifier, type Node, stringValue } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import { replaceExpression } from '../syntax/replace-expression.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { memberChainsOf } from './global-paths.ts';
import { referenceText } from './rewrite-references.ts';

/** Names of tools, capabilities and servers, by the globals that stand for them. */
export type Functions = Readonly<Record<string, string>>;

/**
 * Writes calls in the form that everything else reads: `mcp.call("fs:read", x)` becomes `mcp["fs:read"](x)`, and a function
 * of `functions` becomes a reference to what it stands for. A name that only the run knows stays as it is.
 */
export function desugarCalls(source: string, functions: Functions = {}): string {
  return rewriteCalls(source, functions).toString();
}

/** As `desugarCalls`, but returns a text that can map positions back to the source. */
export function rewriteCalls(source: string, functions: Functions): MagicString {
  const text = new MagicString(source);
  const names = Object.keys(functions);
  if (!source.includes('call') && !names.some((name) => source.includes(name))) return text;
  const program = parse(source);
  for (const { path, node, parent } of memberChainsOf(program, 'mcp', ({ length }) => length === 1)) {
    if (path.aliases.length > 0 || path.keys[0] !== 'call' || parent?.type !== 'CallExpression') continue;
    const name = parent.callee === node && !parent.optional ? nameIn(parent) : undefined;
    if (name !== undefined) replaceCall(text, node, parent, `mcp[${JSON.stringify(name)}]`);
  }
  const { globals, parentOf } = scopesOf(program);
  for (const name of names) {
    for (const use of globals.get(name) ?? [])
      replaceFunction(text, use, parentOf.get(use), functions[name] as string);
  }
  return text;
}

function nameIn({ arguments: [first] }: CallNode): string | undefined {
  return first && stringValue(first as Node);
}

/** Moves the name out of the arguments. Its line breaks are kept, so that no later line moves. */
function replaceCall(text: MagicString, callee: Node, call: CallNode, reference: string): void {
  const [first, second] = call.arguments as readonly Node[];
  const [start, end] = [first?.start as number, second?.start ?? call.end - 1];
  const lines = text.original.slice(start, end).replace(/[^\n]/g, '');
  text.overwrite(callee.start, callee.end, reference);
  if (lines === '') text.remove(start, end);
  else text.overwrite(start, end, lines);
}

function replaceFunction(text: MagicString, use: Identifier, parent: Node | undefined, name: string): void {
  const isShorthand = parent?.type === 'Property' && parent.shorthand;
  replaceExpression(text, use, `${isShorthand ? `${use.name}: ` : ''}${textOf(name)}`);
}

const SERVER = /^[A-Za-z_$][\w$]*$/;

function textOf(name: string): string {
  return SERVER.test(name) ? `mcp.${name}` : referenceText(name);
}

/** The function by which the code of a merge calls a source: `fs:read-json` is `cap_fs_read_json`. */
export function sourceFunction(name: string): string {
  return `cap_${name.replace(/\W/g, '_')}`;
}
