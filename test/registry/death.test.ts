/** SIGKILL between any two statements of an act leaves all of it or nothing. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
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

/** Declares a test for each act. A first run to the end records its statements and their result. */
function dieEverywhere(find: () => Promise<Place>, tells: typeof isTelling, most: number): void {
  let done: Promise<Map<string, Whole>> | undefined;
  const wholes = async () => {
    done ??= find()
      .then(perform)
      .then((said) => new Map(said.map((one) => [one.act, one as Whole])));
    return done;
  };
  for (const { name } of ACTS) {
    if (!tells(name, 'commit', 'sent')) continue;
    test(`SIGKILL anywhere in a ${name} leaves all or nothing`, async () => {
      const whole = (await wholes()).get(name) as Whole;
      assert.notEqual(whole.found.plain, whole.done.plain);
      assert.ok(whole.statements.includes('commit'));
      for (const when of WHENS) {
        const points = whole.statements.flatMap((sql, index) => (tells(name, sql, when) ? [index + 1] : []));
        await dieAt({ ...(await find()), act: name, when }, whole, spread(points, most));
      }
    });
  }
}

/** Picks so many of the points, always the last one: it is the commit. */
function spread(points: readonly number[], most: number): number[] {
  const picked = (count: number) => Math.floor((count * Math.min(most, points.length)) / points.length);
  return points.filter((_, index) => picked(index + 1) > picked(index));
}

async function dieAt(task: Task & { act: string; when: string }, whole: Whole, points: readonly number[]) {
  if (points.length === 0) return;
  let exact: string | undefined;
  for (const at of [...points, undefined]) {
    // The next process reports what the deaths so far have left.
    const [said, ...more] = await perform({ ...task, ...(at && { at }) });
    assert.deepEqual(more, []);
    const { found } = said as Said;
    exact ??= found.exact;
    const isLast = at === undefined;
    // Only a commit that was sent may have taken effect. Otherwise nothing has changed, not even a time.
    if (isLast && task.when === 'sent' && found.exact !== exact) assert.equal(found.plain, whole.done.plain);
    else {
      assert.equal(found.plain, whole.found.plain, `${task.when} ${at}`);
      assert.equal(found.exact, exact);
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
