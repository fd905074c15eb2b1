import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../testing/effort.ts';
import type { QueuedRun } from './depth-queue.ts';
import { FairQueue } from './fair-queue.ts';

interface Run extends QueuedRun {
  id: number;
}

let ids = 0;

function run(principal: string, session = 's', depth = 0, bytes = 1): Run {
  return { id: ++ids, owner: { principal, session }, depth, bytes };
}

function addMany(queue: FairQueue<Run>, count: number, make: () => Run): Run[] {
  const runs = Array.from({ length: count }, make);
  for (const one of runs) queue.add(one);
  return runs;
}

function admitAll(queue: FairQueue<Run>): Run[] {
  const admitted: Run[] = [];
  for (let next = queue.admit(); next; next = queue.admit()) admitted.push(next);
  return admitted;
}

function counts(runs: Iterable<Run>, keyOf: (run: Run) => string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const one of runs) found[keyOf(one)] = (found[keyOf(one)] ?? 0) + 1;
  return found;
}

const byPrincipal = ({ owner }: Run) => owner.principal;
const bySession = ({ owner }: Run) => owner.session;

describe('the queue', () => {
  test('lets one session have all places, in its order', () => {
    const queue = new FairQueue<Run>(4);
    const runs = addMany(queue, 10, () => run('ann'));
    assert.deepEqual(admitAll(queue), runs.slice(0, 4));
    queue.release(runs[2] as Run);
    assert.deepEqual(admitAll(queue), [runs[4]]);
  });

  test('lets a newcomer start at once beyond the places, and takes the next free place for it', () => {
    const queue = new FairQueue<Run>(4);
    addMany(queue, 10, () => run('hog'));
    const [held] = admitAll(queue) as [Run];
    const [ann] = addMany(queue, 2, () => run('ann')) as [Run];
    assert.deepEqual(admitAll(queue), [ann]);
    queue.release(ann);
    assert.deepEqual(byPrincipal(admitAll(queue)[0] as Run), 'ann');
    queue.release(held);
    assert.deepEqual(admitAll(queue), []);
  });

  test('lets a second session of the same principal start at once', () => {
    const queue = new FairQueue<Run>(4);
    addMany(queue, 10, () => run('ann', 'one'));
    admitAll(queue);
    addMany(queue, 3, () => run('ann', 'two'));
    assert.deepEqual(counts(admitAll(queue), bySession), { two: 1 });
  });

  test('keeps half of the reserve from the many sessions of one principal', () => {
    const queue = new FairQueue<Run>(4);
    for (let i = 0; i < 50; i++) queue.add(run('hog', `s${i}`));
    assert.equal(admitAll(queue).length, 6);
    queue.add(run('ann', 'a1'));
    queue.add(run('ann', 'a2'));
    assert.deepEqual(counts(admitAll(queue), bySession), { a1: 1, a2: 1 });
  });

  test('reaches even shares of principals, then of sessions, as places come free', () => {
    const queue = new FairQueue<Run>(8);
    addMany(queue, 100, () => run('hog'));
    const active = admitAll(queue);
    addMany(queue, 50, () => run('ann', 'one'));
    addMany(queue, 50, () => run('ann', 'two'));
    active.push(...admitAll(queue));
    for (let i = 0; i < 40; i++) {
      queue.release(active.shift() as Run);
      active.push(...admitAll(queue));
    }
    assert.deepEqual(counts(active, byPrincipal), { hog: 4, ann: 4 });
    assert.deepEqual(
      counts(
        active.filter((one) => byPrincipal(one) === 'ann'),
        bySession,
      ),
      { one: 2, two: 2 },
    );
  });

  test('bounds the nested runs of one principal over all depths, and always lets one go on at each', () => {
    const queue = new FairQueue<Run>(2);
    for (let depth = 0; depth < 9; depth++) addMany(queue, 10, () => run('hog', 's', depth));
    const active = admitAll(queue);
    const perDepth = counts(active, ({ depth }) => String(depth));
    assert.equal(Object.keys(perDepth).length, 9);
    assert.ok(active.filter(({ depth }) => depth > 0).length <= 2 * 2 + 8);
  });

  test('limits what may wait, and keeps a part of that for another session', () => {
    const queue = new FairQueue<Run>(1);
    const isCrowded = (one: Run) => {
      queue.add(one);
      return queue.isCrowded(one);
    };
    const crowded = Array.from({ length: 1_002 }, () => isCrowded(run('hog', 'one')));
    assert.deepEqual([crowded[999], crowded[1_000]], [false, true]);
    assert.equal(isCrowded(run('hog', 'two')), false);
    assert.equal(isCrowded(run('ann')), false);
    assert.equal(isCrowded(run('hog', 'one', 1)), false);
    assert.deepEqual(
      [1, 2].map(() => isCrowded(run('big', 's', 0, 40_000_000))),
      [false, true],
    );
  });

  test('refuses what is large, also if each run is of a session of its own', () => {
    const queue = new FairQueue<Run>(1);
    let held = 0;
    for (let at = 0; at < 100; at++) {
      const one = run('hog', `s${at}`, 0, 16_000_000);
      queue.add(one);
      if (queue.isCrowded(one)) queue.remove(one);
      else held += one.bytes;
    }
    assert.equal(held, 64_000_000);
  });
});

/** A reference model: the runs under way and the waiting ones in plain lists. */
class Model {
  readonly queue: FairQueue<Run>;
  readonly places: number;
  active: Run[] = [];
  waiting: Run[] = [];

  constructor(places: number) {
    this.places = places;
    this.queue = new FairQueue(places);
  }

  add(one: Run): void {
    this.queue.add(one);
    this.waiting.push(one);
    this.#admit();
  }

  end(which: number): void {
    const [gone] = this.active.splice(which % Math.max(1, this.active.length), 1);
    if (gone) this.queue.release(gone);
    this.#admit();
  }

  cancel(which: number): void {
    const [gone] = this.waiting.splice(which % Math.max(1, this.waiting.length), 1);
    if (gone) this.queue.remove(gone);
    this.#admit();
  }

  activeAt(depth: number): Run[] {
    return this.active.filter((one) => one.depth === depth);
  }

  #admit(): void {
    for (let next = this.queue.admit(); next; next = this.queue.admit()) {
      this.#checkTurn(next);
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.active.push(next);
    }
    this.#checkPlaces();
  }

  /** Checks that the run is the first of its session, and that no waiting principal or session has fewer runs. */
  #checkTurn(next: Run): void {
    const rivals = this.waiting.filter(({ depth }) => depth === next.depth);
    const active = this.activeAt(next.depth);
    const own = rivals.filter((one) => byPrincipal(one) === byPrincipal(next));
    assert.equal(own.filter((one) => bySession(one) === bySession(next))[0], next);
    if (active.length >= this.places || next.depth > 0) return;
    const principals = counts(active, byPrincipal);
    const sessions = counts(active, bySession);
    for (const one of rivals) {
      assert.ok((principals[byPrincipal(one)] ?? 0) >= (principals[byPrincipal(next)] ?? 0));
    }
    for (const one of own) assert.ok((sessions[bySession(one)] ?? 0) >= (sessions[bySession(next)] ?? 0));
  }

  /** Checks that no place is empty, the reserve is not exceeded, and no principal without a run waits while it has room. */
  #checkPlaces(): void {
    const reserve = Math.max(2, Math.min(this.places, 8));
    for (const depth of [0, 1, 2]) assert.ok(this.activeAt(depth).length <= this.places + reserve);
    assert.equal(this.queue.waiting, this.waiting.length);
    const active = this.activeAt(0);
    const waiting = this.waiting.filter(({ depth }) => depth === 0);
    if (active.length < this.places) assert.deepEqual(waiting, []);
    const principals = counts(active, byPrincipal);
    const hasNothing = waiting.some((one) => principals[byPrincipal(one)] === undefined);
    if (active.length < this.places + reserve) assert.equal(hasNothing, false);
  }
}

test('in any sequence of arrivals and ends, shares are fair and every run gets its turn', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'add', 'add', 'end', 'end', 'cancel'),
    which: fc.nat(99),
    principal: fc.nat(3),
    session: fc.nat(2),
    depth: fc.constantFrom(0, 0, 0, 1, 2),
  });
  const property = fc.property(
    fc.integer({ min: 1, max: 9 }),
    fc.array(step, { maxLength: 120 }),
    (places, steps) => {
      const model = new Model(places);
      for (const { kind, which, principal, session, depth } of steps) {
        if (kind === 'add') model.add(run(`p${principal}`, `p${principal}/${session}`, depth));
        else if (kind === 'end') model.end(which);
        else model.cancel(which);
      }
      // Each end lets at least one more start, so all are over after as many ends as there are runs.
      for (let left = model.active.length + model.waiting.length; left > 0; left--) model.end(0);
      assert.deepEqual([model.active, model.waiting], [[], []]);
    },
  );
  fc.assert(property, runs(300));
});

test('a principal that never stops delays nobody by more than one run of each principal', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 20 }),
    (places, others) => {
      const queue = new FairQueue<Run>(places);
      addMany(queue, 500, () => run('hog'));
      const active = admitAll(queue);
      const waiting = new Set(Array.from({ length: others }, (_, i) => run(`p${i}`)));
      for (const one of waiting) queue.add(one);
      for (let ends = 0; ends < places + others && waiting.size > 0; ends++) {
        for (const one of admitAll(queue)) {
          waiting.delete(one);
          active.push(one);
        }
        queue.release(active.shift() as Run);
        queue.add(run('hog'));
      }
      assert.equal(waiting.size, 0);
    },
  );
  fc.assert(property, runs(50));
});
