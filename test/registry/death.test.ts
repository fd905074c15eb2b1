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

/** Where SIGKILL must be survived anywhere. The others are the same few functions, and die only at their end unless there is time. */
const NAMED = ['rename', 'update', 'fork', 'import'];

describe('on PGlite', () => dieEverywhere(async () => ({ home }), isTellingOnPglite));
describe('on PostgreSQL', () => {
  const database = freshDatabase();
  dieEverywhere(async () => ({ home, databaseUrl: await database }), isTelling);
});

/** Where a death could leave something else than the death before it: two readings in a row are one place. */
function isTelling(act: string, sql: string, when: string): boolean {
  if (sql === 'commit') return true;
  if (!HAS_TIME && !NAMED.includes(act)) return false;
  const writes = /^\s*(insert|update|with)\b|pg_notify/.test(sql);
  return writes === (when === 'sent');
}

/** PGlite takes a second to open, and the statements are the same. What it must prove is that its files survive. */
function isTellingOnPglite(act: string, sql: string, when: string): boolean {
  if (HAS_TIME) return isTelling(act, sql, when);
  return when === 'sent' && NAMED.includes(act) && isTelling(act, sql, when);
}

/** Declares a test of each act. Each is done once to its end, to know its statements and what they do. */
function dieEverywhere(find: () => Promise<Place>, tells: typeof isTelling): void {
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
      for (const when of WHENS) await dieAt({ ...(await find()), act: name, when }, whole, tells);
    });
  }
}

async function dieAt(task: Task & { act: string; when: string }, whole: Whole, tells: typeof isTelling) {
  const points = whole.statements.flatMap((sql, index) =>
    tells(task.act, sql, task.when) ? [index + 1] : [],
  );
  if (points.length === 0) return;
  let exact: string | undefined;
  for (const at of [...points, undefined]) {
    // What the deaths so far have left is told by whoever comes next.
    const [said, ...more] = await perform({ ...task, ...(at && { at }) });
    assert.deepEqual(more, []);
    const { found } = said as Said;
    exact ??= found.exact;
    const isLast = at === undefined;
    // Only a commit that was sent may have been heard. Else nothing has changed, not even a time.
    if (isLast && task.when === 'sent' && found.exact !== exact) assert.equal(found.plain, whole.done.plain);
    else {
      assert.equal(found.plain, whole.found.plain, `${task.when} ${at}`);
      assert.equal(found.exact, exact);
    }
  }
}

/** What the process said before it ended, in peace or by its own hand. */
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
