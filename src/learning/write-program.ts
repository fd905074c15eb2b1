import { referenceText } from '../code/index.ts';
import type { Json } from '../json.ts';
import { HIDDEN } from '../secrets/index.ts';
import { type ArgumentLeaf, argumentLeaves } from './argument-leaves.ts';
import type { SegmentLink } from './segment-links.ts';

export interface ProgramSource {
  /** Without secrets. */
  readonly calls: readonly { readonly name: string; readonly args: Json }[];
  readonly links: readonly SegmentLink[];
  /** The arguments that were not the same each time, as `call.leaf`. */
  readonly varied: ReadonlySet<string>;
}

export interface Program {
  readonly code: string;
  /** The arguments with which it makes these very calls. */
  readonly args: Readonly<Record<string, Json>>;
}

/**
 * Writes a program that makes the calls of a segment: links become data flow, values that varied or are secret become
 * arguments, and the others stay as literals. Undefined if the arguments have changed their shape by being redacted.
 */
export function writeProgram({ calls, links, varied }: ProgramSource): Program | undefined {
  const names = new ArgumentNames();
  const args: Record<string, Json> = {};
  const sources = new Set(links.map(({ from }) => from));
  const lines: string[] = [];
  for (const [index, call] of calls.entries()) {
    const leaves = argumentLeaves(call.args);
    if (!leaves) return undefined;
    const texts = leaves.map(({ path, value }, leaf) => {
      const link = links.find((one) => one.call === index && one.leaf === leaf);
      if (link) return `step${link.from + 1}${link.path.map(memberText).join('')}`;
      if (!varied.has(`${index}.${leaf}`) && !holdsHidden(value)) return JSON.stringify(value);
      const name = names.take(call.name, path);
      args[name] = value;
      return `args.${name}`;
    });
    const made = `await ${referenceText(call.name)}(${objectText(leaves, texts)})`;
    const isLast = index === calls.length - 1;
    lines.push(
      isLast ? `return ${made};` : sources.has(index) ? `const step${index + 1} = ${made};` : `${made};`,
    );
  }
  return { code: lines.join('\n'), args };
}

function memberText(key: string): string {
  return isIdentifier(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function isIdentifier(key: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(key);
}

function holdsHidden(value: Json): boolean {
  return JSON.stringify(value).includes(HIDDEN);
}

/** Writes an object with these leaves, nested as their paths are. */
function objectText(leaves: readonly ArgumentLeaf[], texts: readonly string[], depth = 0): string {
  const parts: string[] = [];
  for (let at = 0; at < leaves.length; ) {
    const { path } = leaves[at] as ArgumentLeaf;
    const key = path[depth] as string;
    let end = at + 1;
    while (leaves[end]?.path[depth] === key) end += 1;
    const isLeaf = path.length === depth + 1;
    const text = isLeaf ? texts[at] : objectText(leaves.slice(at, end), texts.slice(at, end), depth + 1);
    parts.push(`${isIdentifier(key) ? key : JSON.stringify(key)}: ${text}`);
    at = end;
  }
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** Names arguments by their keys. A key that is taken gets the tool in front of it, then a number. */
class ArgumentNames {
  readonly #taken = new Set<string>();

  take(tool: string, path: readonly string[]): string {
    const key = wordOf(path.at(-1) ?? '');
    const long = wordOf(`${tool.slice(tool.indexOf(':') + 1)}_${key}`);
    let name = this.#taken.has(key) ? long : key;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${long}_${count}`;
    this.#taken.add(name);
    return name;
  }
}

const MAX_NAME = 60;

function wordOf(text: string): string {
  const word = text.replace(/\W+/g, '_').slice(0, MAX_NAME);
  return /^[A-Za-z_]/.test(word) && word !== '__proto__' ? word : `value_${word}`;
}
