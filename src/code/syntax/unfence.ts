import { ParseError } from './parse-error.ts';

const FENCE = /^[ \t]{0,8}(?:`{3,8}|~{3,8})/;
/** A block in another language is no code for the sandbox. */
const LANGUAGES = new Set(['', 'ts', 'typescript', 'js', 'javascript', 'tsx', 'jsx', 'mjs', 'mts']);
const MAX_TAG = 40;

/**
 * Takes the code out of a Markdown answer with one fenced block. Everything else becomes blank lines, so that every
 * position in the code stays what it was. `isCode` tells whether text that does not begin with a fence is code already.
 */
export function unfence(source: string, isCode: (source: string) => boolean): string {
  if (!source.includes('```') && !source.includes('~~~')) return source;
  const lines = source.split('\n');
  const fences = lines.flatMap((line, at) => (FENCE.test(line) ? at : []));
  const [open, close = lines.length, ...more] = fences;
  if (open === undefined) return source;
  // A comment or a text of the program may hold a fence; a program cannot begin with one.
  const isFirst = lines.slice(0, open).every((line) => line.trim() === '');
  if (!isFirst && isCode(source)) return source;
  const tag = tagOf(lines[open] ?? '');
  const hint = 'Send one program in TypeScript, without fences.';
  if (more.length > 0)
    throw new ParseError(
      source,
      source.indexOf(lines[open] ?? ''),
      'The code has several fenced blocks',
      hint,
    );
  if (!LANGUAGES.has(tag))
    throw new ParseError(source, source.indexOf(lines[open] ?? ''), `The code is fenced as ${tag}`, hint);
  return lines.map((line, at) => (at > open && at < close ? line : '')).join('\n');
}

function tagOf(line: string): string {
  return line
    .trim()
    .slice(0, MAX_TAG)
    .replace(/^[`~]{3,8}/, '')
    .trim()
    .toLowerCase();
}
