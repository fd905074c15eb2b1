import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A fenced block: ```` ```ts version.ts ```` has the language ts and the file version.ts. */
export interface Block {
  /** `docs/share.md:12`, for messages. */
  place: string;
  language: string;
  file?: string;
  text: string;
}

export interface Page {
  /** Its path from the root. */
  path: string;
  text: string;
  blocks: Block[];
  /** The text without its fenced blocks. */
  prose: string;
}

const FENCE = /^(`{3,})([\w-]*) ?(\S*)\n([\s\S]*?)^\1$/gm;

export function parsePage(path: string, text: string): Page {
  const blocks = Array.from(text.matchAll(FENCE), ({ index, 2: language = '', 3: file, 4: inside = '' }) => ({
    place: `${path}:${text.slice(0, index).split('\n').length}`,
    language,
    ...(file && { file }),
    text: inside,
  }));
  return { path, text, blocks, prose: text.replace(FENCE, '') };
}

export function readPages(...patterns: string[]): Page[] {
  const paths = globSync(patterns, { cwd: ROOT }).sort();
  return paths.map((path) => parsePage(path, readFileSync(join(ROOT, path), 'utf8')));
}

/** The pages for users, the README first. The pages about PML itself are not among them. */
export function userPages(): Page[] {
  const about = new Set(['architecture', 'requirements', 'threat-model', 'clients', 'bench-registry']);
  return readPages('README.md', 'docs/*.md').filter(
    ({ path }) => !about.has(/(\w[\w-]*)\.md$/.exec(path)?.[1] ?? ''),
  );
}

/** Returns the inline code of a page, without that of fenced blocks. */
export function inlineCode({ prose }: Page): string[] {
  return Array.from(prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g), ([, code]) => code as string);
}

/** Returns the targets of the links of a page; those in code are text. */
export function linksOf({ prose }: Page): string[] {
  const text = prose.replace(/`[^`\n]*`/g, '``');
  return Array.from(text.matchAll(/\]\(([^()\s]+)\)/g), ([, target]) => target as string);
}

/** Returns the anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ prose }: Page): string[] {
  const seen = new Map<string, number>();
  return Array.from(prose.matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
