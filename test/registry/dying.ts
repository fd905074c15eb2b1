/** A program that does one act and kills itself at one of its statements. Prints what it found before. */
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { assertConsistent, type Snapshot, snapshot } from '../../src/registry/consistency.testing.ts';
import { Keys, type Registry } from '../../src/registry/index.ts';
import { openDb } from '../../src/store/index.ts';
import { ACTS, type Act, actor } from './acts.ts';

export interface Task {
  home: string;
  databaseUrl?: string;
  /** Without an act, every act is prepared in its scopes and done to its end in one of them. */
  act?: string;
  /** The number of the statement it dies at, counted from 1. */
  at?: number;
  /** Before the statement is sent, or when it has been sent and not answered. */
  when?: When;
  /** Instead of an act: the acts to report on, each in all its scopes. */
  report?: string[];
}

export const WHENS = ['before', 'sent'] as const;
type When = (typeof WHENS)[number];

/** One line each. */
export interface Said {
  act: string;
  when?: When;
  found: Snapshot;
  /** The act ended: the state it left, and the statements it sent. */
  done?: Snapshot;
  statements?: string[];
}

/** Each way to die has a scope of its own, where the act is tried again until a death leaves it done. */
function scopeOf({ name }: Act, when: When | 'whole'): string {
  return `${name.replaceAll(' ', '-')}-${when}`;
}

let statements: string[] = [];
let task: Task;
let armed = false;

if (import.meta.main) {
  watch();
  task = JSON.parse(process.argv[2] as string) as Task;
  const { home, databaseUrl } = task;
  const db = await openDb({ home, ...(databaseUrl && { databaseUrl }) });
  const registry = { db, keys: await Keys.open(home, db) };
  if (task.report) await report(registry, task.report);
  else if (task.act === undefined) for (const act of ACTS) await doWhole(registry, act);
  else await doAndDie(registry, ACTS.find(({ name }) => name === task.act) as Act);
  await db.close();
}

async function doWhole(registry: Registry, act: Act): Promise<void> {
  for (const when of ['whole', ...WHENS] as const) await act.prepare(registry, actor(scopeOf(act, when)));
  const scope = scopeOf(act, 'whole');
  const found = await snapshot(registry.db, scope);
  statements = [];
  armed = true;
  await act.run(registry, actor(scope));
  armed = false;
  await assertConsistent(registry.db);
  say({ act: act.name, found, done: await snapshot(registry.db, scope), statements });
}

async function report({ db }: Registry, names: readonly string[]): Promise<void> {
  await assertConsistent(db);
  for (const act of ACTS.filter(({ name }) => names.includes(name)))
    for (const when of WHENS) say({ act: act.name, when, found: await snapshot(db, scopeOf(act, when)) });
}

async function doAndDie(registry: Registry, act: Act): Promise<void> {
  const scope = scopeOf(act, task.when as When);
  await assertConsistent(registry.db);
  say({ act: act.name, found: await snapshot(registry.db, scope) });
  armed = true;
  await act.run(registry, actor(scope));
}

function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

/** Intercepts every statement, begin and commit too, where it leaves this thread or process. */
function watch(): void {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text: string }];
    return localTools(typeof statement === 'string' ? statement : statement.text, () =>
      Reflect.apply(query, this, args),
    );
  } as typeof query;
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, message: unknown) {
    if (!Array.isArray(message)) return Reflect.apply(postMessage, this, [message]);
    // Pipelined statements are sent one by one, so that it can die between any two.
    for (const request of message as { sql?: string }[]) {
      const post = () => Reflect.apply(postMessage, this, [[request]]);
      if (request.sql === undefined) post();
      else localTools(request.sql, post);
    }
  };
}

function localTools<T>(sql: string, send: () => T): T {
  if (!armed) return send();
  statements.push(sql);
  const isLast = statements.length === task.at;
  if (isLast && task.when === 'before') die();
  const sent = send();
  if (isLast) {
    // PGlite's thread gets time to be in the middle of it, a different one for each statement.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, statements.length % 4);
    die();
  }
  return sent;
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
