// Writes the tree of `src/`, file by file, and its figures into docs/architecture.md: `npm run tree`. With `--check` it only
// compares.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const TOUR = path.join(ROOT, 'docs', 'architecture.md');
const [BEGIN, END] = ['<!-- tree -->', '<!-- end of tree -->'];
const WIDTH = 140;

const files = globSync('**/*.{ts,js}', { cwd: path.join(ROOT, 'src') })
  .filter((file) => !/\.test\.ts$|testing\.ts$|^testing\//.test(file))
  .sort();
const tour = readFileSync(TOUR, 'utf8');
const before = tour.slice(0, tour.indexOf(BEGIN) + BEGIN.length);
const after = tour.slice(tour.indexOf(END));
const tree = `\n\n\`\`\`\n${printTree()}\n\`\`\`\n\n${figures()}\n\n`;

if (!process.argv.includes('--check')) writeFileSync(TOUR, `${before}${tree}${after}`);
else if (`${before}${tree}${after}` !== tour) {
  console.error(
    'The tree in docs/architecture.md, or its figures, are not those of src/: run `npm run tree`.',
  );
  process.exitCode = 1;
}

/** A line for each folder: its path, then the names of its files without their endings. */
function printTree(): string {
  const folders = [...Map.groupBy(files, (file) => path.dirname(file))].sort(([a], [b]) => (a < b ? -1 : 1));
  const names = folders.map(([folder]) => (folder === '.' ? 'src/' : `${folder}/`));
  const column = Math.max(...names.map(({ length }) => length)) + 2;
  return folders
    .map(([, inside], index) => {
      const words = inside.map((file) => path.basename(file).replace(/\.(ts|js)$/, ''));
      return (names[index] as string).padEnd(column) + wrap(words, column);
    })
    .join('\n');
}

function wrap(words: readonly string[], column: number): string {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || column + line.length + word.length + 2 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${line}  ${word}`;
  }
  return lines.join(`\n${' '.repeat(column)}`);
}

/** Lines are rounded, so that the text stays true while a file grows by a few. */
function figures(): string {
  const lines = files.map((file) => linesOf(file)).sort((a, b) => a - b);
  const at = (part: number) => 5 * Math.round((lines[Math.floor(part * (lines.length - 1))] as number) / 5);
  const doors = files
    .filter((file) => /^[\w-]+\/index\.ts$/.test(file))
    .map((file) => `${path.dirname(file)} ${exportsOf(file)}`);
  const sizes = `${files.length} files, of about ${at(0.5)} lines in the median and ${at(0.9)} at the 90th percentile.`;
  return `${sizes}\nExports of each door: ${doors.join(', ')}.`;
}

function linesOf(file: string): number {
  return readFileSync(path.join(ROOT, 'src', file), 'utf8').split('\n').length - 1;
}

function exportsOf(file: string): number {
  const source = readFileSync(path.join(ROOT, 'src', file), 'utf8');
  const lists = Array.from(source.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, list]) => list as string);
  const named = lists.flatMap((list) => list.split(',').filter((name) => name.trim() !== '')).length;
  return named + [...source.matchAll(/^export (?:async )?(?:function|const|class|interface|type) /gm)].length;
}
