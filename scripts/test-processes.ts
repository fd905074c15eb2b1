import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
/** Says which third of the tests of a whole PML the next run has. Missing until all tests have passed once. */
const TURN = path.join(ROOT, 'build', 'test-turn');
const TURNS = 3;
const GROUPS = path.join(ROOT, 'build', 'test-groups');
const TIMES = path.join(ROOT, 'build', 'test-times.json');
/** Files in one process: few enough that one which dies or hangs takes little with it. */
const MAX_FILES = 16;

/**
 * The processes of a run of all tests, as the files to start. The test files of a room share a few: loading its modules and
 * opening a database engine costs more than most of their tests. Tests of a whole PML have a process each.
 */
export function testProcesses(): string[] {
  rmSync(GROUPS, { recursive: true, force: true });
  mkdirSync(GROUPS, { recursive: true });
  const byRoom = Object.groupBy(globSync('src/**/*.test.ts', { cwd: ROOT }).sort(), roomOf);
  const groups = Object.entries(byRoom).flatMap(([room, files = []]) =>
    inParts(files).map((part, at) => writeGroup(`${room}-${at + 1}`, part)),
  );
  return longestFirst([...groups, ...globSync('test/**/*.test.ts', { cwd: ROOT })]);
}

/**
 * The processes that a run leaves out: none in a checkout whose tests have never all passed, later two of three tests of a
 * whole PML, which the next runs have. Tests beside the code, and those of the repository itself, are in every run.
 */
export function leftOut(processes: readonly string[], turn: number | undefined): string[] {
  if (turn === undefined) return [];
  const ofWholePml = processes.filter((file) => /^test\/.*\//.test(file));
  // By name: the order in which they run changes with their times.
  return ofWholePml.toSorted().filter((_, at) => at % TURNS !== turn);
}

/** Lets the next run have other tests. */
export function endTurn(): void {
  writeFileSync(TURN, String(((nextTurn() ?? -1) + 1) % TURNS));
}

/** Which third the next run has; undefined if it has all. */
export function nextTurn(): number | undefined {
  try {
    return Number(readFileSync(TURN, 'utf8')) % TURNS || 0;
  } catch {
    return undefined;
  }
}

/** Remembers how long each took, so that the next run can begin with the longest and has no tail. */
export function keepTimes(times: ReadonlyMap<string, number>): void {
  writeFileSync(TIMES, JSON.stringify({ ...readTimes(), ...Object.fromEntries(times) }, null, 2));
}

function roomOf(file: string): string {
  const [, room, inner] = file.split('/') as [string, string, string?];
  return inner === undefined ? 'src' : room;
}

function inParts(files: readonly string[]): string[][] {
  const parts = Math.ceil(files.length / MAX_FILES);
  const size = Math.ceil(files.length / parts);
  return Array.from({ length: parts }, (_, at) => files.slice(at * size, (at + 1) * size));
}

function writeGroup(name: string, files: readonly string[]): string {
  const group = path.join(GROUPS, `${name}.test.ts`);
  writeFileSync(group, files.map((file) => `import '../../${file}';\n`).join(''));
  return path.relative(ROOT, group);
}

/** A process without a time, which is new or was never run here, comes first. Without any times, test/web comes early. */
function longestFirst(files: readonly string[]): string[] {
  const times = readTimes();
  const timeOf = (file: string) => times[file] ?? Number.MAX_VALUE;
  return files.toSorted((a, b) => timeOf(b) - timeOf(a) || b.localeCompare(a));
}

function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'));
  } catch {
    return {};
  }
}
