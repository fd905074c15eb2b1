import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listedCommands, loadCommand } from '../../src/cli/commands/index.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { ROOT } from './markdown.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Splits a line of a shell script into words, without its comment. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  const end = words.findIndex((word) => word.startsWith('#'));
  const unquoted = (word: string) => word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, '$1$2');
  return (end < 0 ? words : words.slice(0, end)).map(unquoted);
}

/** Returns the words of the PML command in a line: after `pml`, `npx <package>` or `node …/bin/pml.js`; undefined if there is none. */
export function pmlWords(words: readonly string[]): string[] | undefined {
  const at = words.findIndex(
    (word, index) =>
      (word === 'pml' &&
        (index === 0 || ['--', 'npx', '-y', '&&', '|'].includes(words[index - 1] as string))) ||
      /(^|\/)bin\/pml\.js$/.test(word) ||
      (word === manifest.name && words.slice(0, index).includes('npx')),
  );
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const end = rest.findIndex((word) => ['&&', '|', '>', '2>', ';'].includes(word));
  return end < 0 ? rest : rest.slice(0, end);
}

/** Says what is wrong with a PML command line, by the options of the command itself; undefined if it would be accepted. */
export async function wrongUse([name, ...args]: readonly string[]): Promise<string | undefined> {
  if (name === undefined || /^--(version|help)$/.test(name)) return undefined;
  const command = await loadCommand(name);
  if (!command || !listedCommands().some((each) => each.name === name)) return `pml has no command "${name}"`;
  try {
    parseArguments(name, command, withoutPlaceholders(args));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Drops the marks by which documents leave something out or open: `…`, `[--json]`. */
function withoutPlaceholders(args: readonly string[]): string[] {
  return args.filter((word) => !/^[[\]…|]+$/.test(word)).map((word) => word.replace(/^\[|\]$/g, ''));
}

/** Says what is wrong with a line that npm runs: `npm ci`, `npm start`, `npm run bench`. */
export function wrongScript([program, ...args]: readonly string[]): string | undefined {
  if (program !== 'npm') return undefined;
  const [verb = '', script = ''] = args;
  if (['ci', 'install', 'i', 'link', 'pack'].includes(verb)) return undefined;
  const name = verb === 'run' ? script : verb;
  return Object.hasOwn(manifest.scripts, name) ? undefined : `package.json has no script "${name}"`;
}
