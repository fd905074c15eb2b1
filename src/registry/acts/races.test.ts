import assert from 'node:assert/strict';
import type { Db } from '../../store/index.ts';
import { inDrawnOrder, onBothEngines } from '../../store/testing.ts';
import { DrawnOrder, SEED } from '../../testing/drawn-order.ts';
import { times } from '../../testing/effort.ts';
import { assertConsistent } from '../consistency.testing.ts';
import { checked, find, fork, remember, rename, resolve, restore, retire, update } from '../index.ts';
import { ana, ben, failureOf, keep, learned, registryOf } from '../testing.ts';
import { assertSigned, HEAD, type Head, type HeadProof } from '../trust/record-head.ts';

/** Per engine; 300 and more with `PML_EFFORT=6`. */
const ROUNDS = 50;
const FEWER = 20;

interface Race {
  db: Db;
  /** On PostgreSQL, as another process would have it. */
  other: Db;
  round: number;
}

/**
 * Runs a race again and again on one database, and looks at the whole registry in the end. On PostgreSQL the two handles
 * race by themselves. On PGlite all share one session, so their order is drawn.
 */
function race<Made>(
  name: string,
  prepare: (db: Db) => Promise<Made>,
  run: (at: Race, made: Made) => Promise<void>,
  rounds = ROUNDS,
): void {
  onBothEngines(name, async ({ db, again }) => {
    const made = await prepare(db);
    const order = new DrawnOrder();
    const handle = async () => (db.engine === 'pglite' ? inDrawnOrder(db, order) : again());
    const [first, other] = [await handle(), await handle()];
    try {
      for (let round = 0; round < times(rounds); round++) await run({ db: first, other, round }, made);
    } catch (error) {
      throw new Error(`with PML_SEED=${SEED}`, { cause: error });
    }
    await assertConsistent(db);
    await assertHeadsGood(db);
  });
}

/** Whoever was last has signed what the record says now. */
async function assertHeadsGood(db: Db): Promise<void> {
  const { rows } = await db.query<Head & HeadProof>(
    `select ${HEAD} from capability_records r where r.record_type = 'capability'`,
  );
  for (const row of rows) await assertSigned(registryOf(db).keys, row);
}

function taken(name: string): string {
  return `name_taken: Capability name '${name}' already exists in scope acme.web`;
}

/** Which of them was done; the others must have been told that the name is taken. */
function winnerOf(outcomes: readonly string[], name: string): number {
  const losers = outcomes.filter((outcome) => outcome !== 'done');
  assert.equal(losers.length, outcomes.length - 1, outcomes.join('\n'));
  for (const loser of losers) assert.equal(loser, taken(name));
  return outcomes.indexOf('done');
}

function newCode(db: Db, fqdn: string, code: string) {
  return update(registryOf(db), ana, fqdn, { ...learned('cafe', { code }), routing: 'local' });
}

/** A hash of its own for each round, in its first digits. */
function hashOf(round: number): string {
  return (round + 0x1000).toString(16).padEnd(8, 'f');
}

const nothing = async () => {};
const two = async (db: Db) => [await keep(db, ana, 'a'), await keep(db, ana, 'b')] as const;
const one = (db: Db) => keep(db, ana, 'one');

race(
  'acts on one record at the same time all sign what they leave',
  one,
  async ({ db, other, round }, { fqdn }) => {
    const outcomes = await Promise.all([
      failureOf(rename(registryOf(db), ana, fqdn, { newName: `signed:a${round}` })),
      failureOf(rename(registryOf(other), ana, fqdn, { description: `the ${round}th`, tags: [`t${round}`] })),
      failureOf(newCode(db, fqdn, `return ${round};`)),
      failureOf(rename(registryOf(other), ana, fqdn, { visibility: round % 2 ? 'org' : 'private' })),
    ]);
    assert.deepEqual(new Set(outcomes), new Set(['done']));
    assert.equal(await failureOf(checked(registryOf(db), ana, await resolve(db, ana, fqdn))), 'done');
  },
  20,
);

race('of two renames to one name exactly one wins', two, async ({ db, other, round }, [a, b]) => {
  const newName = `race:${round}`;
  const outcomes = await Promise.all([
    failureOf(rename(registryOf(db), ana, a.fqdn, { newName })),
    failureOf(rename(registryOf(other), ana, b.fqdn, { newName })),
  ]);
  const winner = winnerOf(outcomes, newName) === 0 ? a : b;
  assert.equal((await resolve(other, ana, newName)).fqdn, winner.fqdn);
});

race(
  'two that take each other’s names, one that is renamed twice: no deadlock',
  two,
  async ({ db, other, round }, [a, b]) => {
    const outcomes = await Promise.all([
      failureOf(rename(registryOf(db), ana, a.fqdn, { newName: b.name })),
      failureOf(rename(registryOf(other), ana, b.fqdn, { newName: a.name })),
      failureOf(rename(registryOf(db), ana, a.fqdn, { newName: `x${round}` })),
      failureOf(rename(registryOf(other), ana, a.fqdn, { newName: `y${round}` })),
    ]);
    assert.deepEqual(outcomes, [taken(b.name), taken(a.name), 'done', 'done']);
  },
  FEWER,
);

race(
  'a former name of one that is just going back to it is nobody else’s',
  two,
  async ({ db, other }, [a, b]) => {
    await rename(registryOf(db), ana, b.fqdn, { newName: 'away' });
    const outcomes = await Promise.all([
      failureOf(rename(registryOf(db), ana, a.fqdn, { newName: 'b' })),
      failureOf(rename(registryOf(other), ana, b.fqdn, { newName: 'b' })),
    ]);
    assert.deepEqual(outcomes, [taken('b'), 'done']);
    const now = await resolve(other, ana, 'b');
    assert.deepEqual([now.fqdn, now.deprecatedAlias], [b.fqdn, undefined]);
  },
);

race('a rename and two updates at once are all kept', one, async ({ db, other, round }, { fqdn }) => {
  const outcomes = await Promise.all([
    failureOf(rename(registryOf(db), ana, fqdn, { newName: `done:${round}` })),
    failureOf(newCode(other, fqdn, `return ${round};`)),
    failureOf(newCode(db, fqdn, `return -${round};`)),
  ]);
  assert.deepEqual(outcomes, ['done', 'done', 'done']);
  const now = await resolve(other, ana, 'one');
  assert.deepEqual([now.name, now.version], [`done:${round}`, 1 + 2 * (round + 1)]);
});

race('of many forks to one name exactly one is made', one, async ({ db, other, round }, source) => {
  const name = `copy:${round}`;
  const outcomes = await Promise.all(
    [db, other, db].map((each) => failureOf(fork(registryOf(each), ana, source.fqdn, name))),
  );
  winnerOf(outcomes, name);
  assert.equal((await resolve(other, ana, name)).codeHash, source.codeHash);
});

race(
  'copies of one code under two names that are alike but for a colon are both made',
  one,
  async ({ db, other, round }, { fqdn }) => {
    const names = [`alike:${round}:x`, `alike:${round}_x`];
    const copies = await Promise.all(
      names.map((name, n) => fork(registryOf(n === 0 ? db : other), ana, fqdn, name)),
    );
    const found = await Promise.all(names.map((name) => resolve(db, ana, name)));
    assert.deepEqual(
      found.map((each) => each.fqdn),
      copies.map((each) => each.fqdn),
    );
    for (const { listedName, name } of found) assert.equal((await resolve(db, ana, listedName)).name, name);
  },
  FEWER,
);

race(
  'the same code remembered at once: without a name, with one, with another, by another user',
  nothing,
  async ({ db, other, round }) => {
    const hash = hashOf(round);
    const [bens, ...made] = await Promise.all([
      remember(registryOf(other), ben, learned(hash)),
      remember(registryOf(db), ana, learned(hash)),
      remember(registryOf(other), ana, learned(hash, { name: `one:${round}` })),
      remember(registryOf(db), ana, learned(hash, { name: `two:${round}` })),
    ]);
    const [fqdn, ...more] = new Set(made.map(({ capability }) => capability.fqdn));
    assert.deepEqual(more, []);
    // What is private to one user is not found by another: it is a record of its own.
    assert.ok(bens.created && bens.capability.fqdn !== fqdn);
    assert.equal(made.filter(({ created }) => created).length, 1);
    const { name } = await resolve(db, ana, fqdn as string);
    const warnings = made.flatMap((each) => each.warnings);
    assert.deepEqual(warnings, [`This code is already the capability "${name}", which keeps its name.`]);
    assert.match(name, /^(one|two):/);
    const lost = name === `one:${round}` ? `two:${round}` : `one:${round}`;
    assert.equal(await find(other, ana, lost), undefined);
  },
);

race(
  'a name that a run gives against one that is given by hand, which is kept',
  nothing,
  async ({ db, other, round }) => {
    const hash = hashOf(round);
    const { capability } = await remember(registryOf(db), ana, learned(hash));
    const [named] = await Promise.all([
      remember(registryOf(other), ana, learned(hash, { name: `run:${round}` })),
      rename(registryOf(db), ana, capability.fqdn, { newName: `hand:${round}` }),
    ]);
    assert.equal((await resolve(db, ana, capability.fqdn)).name, `hand:${round}`);
    // The run came first, and its name is a former one now; or it came second, and was told.
    const former = await find(other, ana, `run:${round}`);
    assert.equal(named.warnings.length, former === undefined ? 1 : 0);
  },
  FEWER,
);

race(
  'a retire against a lookup, a rename and a run that gives a name',
  nothing,
  async ({ db, other, round }) => {
    const hash = hashOf(round);
    const { fqdn } = (await remember(registryOf(db), ana, learned(hash))).capability;
    const [retired, found, changed, named] = await Promise.all([
      failureOf(retire(registryOf(db), ana, fqdn, 30)),
      failureOf(resolve(other, ana, fqdn)),
      failureOf(rename(registryOf(other), ana, fqdn, { newName: `hand:${round}` })),
      remember(registryOf(other), ana, learned(hash, { name: `run:${round}` })),
    ]);
    const late = `capability_not_found: Capability not found: ${fqdn}`;
    assert.equal(retired, 'done');
    for (const outcome of [found, changed]) assert.ok(['done', late].includes(outcome), outcome);
    assert.equal(await find(db, ana, fqdn), undefined);
    // The run was before the retirement, or made a record of its own: it was told of none that is not there.
    if (named.created) assert.equal((await resolve(db, ana, named.capability.fqdn)).name, `run:${round}`);
    else assert.equal(named.capability.fqdn, fqdn);
  },
);

race(
  'a restore against one who takes the name because its time is up',
  nothing,
  async ({ db, other, round }) => {
    const name = `fate:${round}`;
    const { fqdn } = await keep(db, ana, name);
    await retire(registryOf(db), ana, name, 0);
    const [heir, back] = await Promise.allSettled([
      keep(other, ben, name),
      restore(registryOf(db), ana, fqdn),
    ]);
    assert.ok(back.status === 'fulfilled');
    const owner = await db.query('select fqdn from capability_names where name = $1', [name]);
    if (back.value.name === name) {
      assert.ok(heir.status === 'rejected');
      assert.equal(`name_taken: ${heir.reason.message}`, taken(name));
      assert.deepEqual(owner.rows, [{ fqdn }]);
    } else {
      assert.ok(heir.status === 'fulfilled');
      assert.deepEqual(owner.rows, [{ fqdn: heir.value.fqdn }]);
      assert.match(back.value.name, /^unnamed_/);
    }
  },
);

race(
  'of two who take a name whose time is up exactly one has it',
  two,
  async ({ db, other, round }, [a, b]) => {
    const name = `heirs:${round}`;
    await keep(db, ana, name);
    await retire(registryOf(db), ana, name, 0);
    const outcomes = await Promise.all([
      failureOf(rename(registryOf(db), ana, a.fqdn, { newName: name })),
      failureOf(rename(registryOf(other), ana, b.fqdn, { newName: name })),
    ]);
    const { fqdn } = winnerOf(outcomes, name) === 0 ? a : b;
    assert.equal((await resolve(other, ana, name)).fqdn, fqdn);
  },
  FEWER,
);
