/** SIGKILL between any two statements of an act leaves all of it or nothing. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Snapshot } from '../../src/registry/consistency.testing.ts';
import { HAS_TIME } from '../../src/testing/effort.ts';
import { freshDatabase } from '../../src/testing/postgres.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { ACTS } from './acts.ts';
import { type Said, type Task, WHENS } from './dying.ts';

type Place = Pick<Task, 'home' | 'databaseUrl'>;
type Whole = Required<Said>;

const PROGRAM = join(import.meta.dirname, 'dying.ts');
const home = mkdtempSync(join(scratchRoot(), 'pml-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** Acts that are killed at every statement. The others share their functions, and are killed only at the end, unless PML_EFFORT is raised. */
const NAMED = ['rename', 'update', 'fork', 'import'];

/** How many deaths an act dies for each of `WHENS`, spread over its statements; all of them if PML_EFFORT is raised. */
const DEATHS = HAS_TIME ? Infinity : 2;
/** PGlite takes a second to open, and has only to prove that its files survive. */
const DEATHS_ON_PGLITE = HAS_TIME ? Infinity : 1;

describe('on PGlite', () => dieEverywhere(async () => ({ home }), isTellingOnPglite, DEATHS_ON_PGLITE));
describe('on PostgreSQL', () => {
  const database = freshDatabase();
  dieEverywhere(async () => ({ home, databaseUrl: await database }), isTelling, DEATHS);
});

/** The statements at which a death can leave a new state: consecutive reads count as one. */
function isTelling(act: string, sql: string, when: string): boolean {
  if (sql === 'commit') return true;
  if (!HAS_TIME && !NAMED.includes(act)) return false;
  const writes = /^\s*(insert|update|with)\b|pg_notify/.test(sql);
  return writes === (when === 'sent');
}

function isTellingOnPglite(act: string, sql: string, when: string): boolean {
  if (HAS_TIME) return isTelling(act, sql, when);
  return when === 'sent' && NAMED.includes(act) && isTelling(act, sql, when);
}

/** The reports of the processes of one act, for each way to die: before each death, and after the last. */
type Reports = Record<Task['when'] & string, Snapshot[]>;

interface Deaths {
  wholes: Map<string, Whole>;
  reports: Map<string, Reports>;
}

/** Declares a test for each act. All their processes run at the first one. */
function dieEverywhere(find: () => Promise<Place>, tells: typeof isTelling, most: number): void {
  const dying = ACTS.map(({ name }) => name).filter((name) => tells(name, 'commit', 'sent'));
  let done: Promise<Deaths> | undefined;
  for (const act of dying) {
    test(`SIGKILL anywhere in a ${act} leaves all or nothing`, async () => {
      done ??= find().then((place) => dieAll(place, dying, tells, most));
      const { wholes, reports } = await done;
      const whole = wholes.get(act) as Whole;
      assert.notEqual(whole.found.plain, whole.done.plain);
      assert.ok(whole.statements.includes('commit'));
      for (const when of WHENS) assertAllOrNothing(when, reports.get(act)?.[when] ?? [], whole);
    });
  }
}

/**
 * A first process does all acts to their end and records their statements and results. Then each act dies, in a scope of its
 * own for each way to die. A last process reports what is left in all of them.
 */
async function dieAll(place: Place, dying: string[], tells: typeof isTelling, most: number): Promise<Deaths> {
  const wholes = new Map((await perform(place)).map((one) => [one.act, one as Whole]));
  const reports = new Map<string, Reports>();
  for (const act of dying) {
    const { statements } = wholes.get(act) as Whole;
    const reported: Reports = { before: [], sent: [] };
    for (const when of WHENS) {
      const points = statements.flatMap((sql, index) => (tells(act, sql, when) ? [index + 1] : []));
      for (const at of spread(points, most)) {
        const [said, ...more] = await perform({ ...place, act, when, at });
        assert.deepEqual(more, []);
        reported[when].push((said as Said).found);
      }
    }
    reports.set(act, reported);
  }
  for (const { act, when, found } of await perform({ ...place, report: dying }))
    reports.get(act)?.[when as (typeof WHENS)[number]].push(found);
  return { wholes, reports };
}

/** Picks so many of the points, always the last one: it is the commit. */
function spread(points: readonly number[], most: number): number[] {
  const picked = (count: number) => Math.floor((count * Math.min(most, points.length)) / points.length);
  return points.filter((_, index) => picked(index + 1) > picked(index));
}

function assertAllOrNothing(when: string, found: readonly Snapshot[], whole: Whole): void {
  const [first, last] = [found[0], found.at(-1)];
  for (const [at, { plain, exact }] of found.entries()) {
    // Only the commit, the last to be sent, may have taken effect. Otherwise nothing has changed, not even a time.
    if (when === 'sent' && found[at] === last && exact !== first?.exact)
      assert.equal(plain, whole.done.plain);
    else {
      assert.equal(plain, whole.found.plain, `${when}, death ${at}`);
      assert.equal(exact, first?.exact);
    }
  }
}

/** The output of the process before it ended or killed itself. */
async function perform(task: Task): Promise<Said[]> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code, signal] = await once(child, 'close');
  assert.deepEqual([code, signal], task.at === undefined ? [0, null] : [null, 'SIGKILL'], stderr);
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Said);
}
