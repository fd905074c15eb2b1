import { commentsOf } from './parse.ts';
import { ParseError } from './parse-error.ts';

const FENCE = /^[ \t]{0,8}`{3,8}/;
/** A block in another language is no code for the sandbox. */
const LANGUAGES = new Set(['', 'ts', 'typescript', 'js', 'javascript', 'tsx', 'jsx', 'mjs', 'mts']);
const MAX_TAG = 40;
/** Longer programs are not shown joined; in characters. */
const MAX_JOINED = 1000;
const HINT = 'Send one program in TypeScript, without fences.';

/**
 * Takes the code out of a Markdown answer with one fenced block. Everything else becomes blank lines, so that every
 * position in the code stays what it was.
 */
export function unfence(source: string): string {
  if (!source.includes('```')) return source;
  const lines = source.split('\n');
  const fences = lines.flatMap((line, at) => (FENCE.test(line) ? at : []));
  const [open, close = lines.length, ...more] = fences;
  if (open === undefined) return source;
  const start = lines.slice(0, open).reduce((sum, { length }) => sum + length + 1, 0);
  if (isInComment(source, start)) return source;
  const tag = tagOf(lines[open] ?? '');
  if (more.length > 0)
    throw new ParseError(source, start, 'The code has several fenced blocks', joinHint(lines, fences));
  if (!LANGUAGES.has(tag)) throw new ParseError(source, start, `The code is fenced as ${tag}`, HINT);
  return lines.map((line, at) => (at > open && at < close ? line : '')).join('\n');
}

/** Shows the blocks as one program, since each run is one. */
function joinHint(lines: readonly string[], fences: readonly number[]): string {
  const blocks = fences.flatMap((open, index) =>
    index % 2 === 0 ? lines.slice(open + 1, fences[index + 1]) : [],
  );
  const joined = blocks.join('\n').trim();
  return joined.length > MAX_JOINED ? HINT : `${HINT} As one:\n${joined}`;
}

/** Only a comment of a program can hold a line that begins with a fence: a template cannot hold a bare backtick. */
function isInComment(source: string, offset: number): boolean {
  if (source.slice(0, offset).trim() === '') return false;
  return commentsOf(source).some(({ start, end }) => start < offset && offset < end);
}

function tagOf(line: string): string {
  return line
    .trim()
    .slice(0, MAX_TAG)
    .replace(/^`{3,8}/, '')
    .trim()
    .toLowerCase();
}
