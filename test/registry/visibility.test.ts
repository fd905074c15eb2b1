/** Hidden records do not exist for a principal: every answer is as if they had never been made. */

import assert from 'node:assert/strict';
import type { Principal } from '../../src/principal.ts';
import {
  type Capability,
  describe,
  fork,
  history,
  listMostUsed,
  listNamed,
  type NamedCapability,
  query,
  type Registry,
  remember,
  rename,
  resolve,
  restore,
  retire,
  summarize,
  update,
} from '../../src/registry/index.ts';
import { someNames } from '../../src/registry/names/index.ts';
import { findServer } from '../../src/registry/servers/index.ts';
import { registryOf } from '../../src/registry/testing.ts';
import { statistics } from '../../src/registry/usage/index.ts';
import type { Db, Queryable } from '../../src/store/index.ts';
import { onBothEngines } from '../../src/store/testing.ts';
import { IS_WHOLE, times } from '../../src/testing/effort.ts';
import { codeOf } from './acts.ts';
import { erase, type Inhabitant, PEOPLE, populate, sees } from './world.ts';

const LIFECYCLE = { unusedDays: 90, minSuccessRate: 0.5, minCalls: 5 };
const WORLDS = times(1);
const RECORDS = 15;

onBothEngines('no query and no act reveals a record that one may not see', async ({ db }) => {
  for (let seed = 1; seed <= WORLDS; seed++) {
    const world = await populate(registryOf(db), RECORDS, seed);
    const began = new Date().toISOString();
    // An everyday run asks as every other person on each engine.
    for (const who of PEOPLE.filter((_, at) => IS_WHOLE || at % 2 === (db.engine === 'pglite' ? 0 : 1))) {
      const hidden = world.filter((one) => !sees(who, one));
      assert.ok(hidden.length > 3);
      const [withThem, without] = [
        await undone(db, (inside) => everything(registryOf(inside), who, world, began)),
        await undone(db, async (inside) => {
          await erase(
            inside,
            hidden.map(({ fqdn }) => fqdn),
          );
          return everything(registryOf(inside), who, world, began);
        }),
      ];
      for (const [index, [asked, answer]] of withThem.entries()) {
        assert.deepEqual(answer, without[index]?.[1], `${who.user} of ${who.project}: ${asked}`);
        assertNothingBetrayed(asked, answer, hidden);
      }
    }
  }
});

/** Asserts that no answer holds a hidden name or id that was not in the question. */
function assertNothingBetrayed(asked: string, answer: unknown, hidden: readonly Inhabitant[]): void {
  const text = JSON.stringify(answer ?? null);
  for (const { betraying } of hidden)
    for (const word of betraying)
      if (!asked.includes(word)) assert.ok(!text.includes(word), `${asked} tells ${word}: ${text}`);
}

type Answers = [asked: string, answer: unknown][];

/** Tries every query and act with every spelling of every record, and collects the results. */
async function everything(
  registry: Registry,
  who: Principal,
  world: readonly Inhabitant[],
  began: string,
): Promise<Answers> {
  const { db } = registry;
  const answers: Answers = [];
  const told = (done: Capability) => describe(registry, who, done);
  const ask = async (asked: string, act: () => Promise<unknown>) => {
    const answer = await act().catch(({ code, message, hint = '' }) => `${code}: ${message} ${hint}`);
    answers.push([asked, timeless(answer, world, began)]);
  };
  await ask('list', () => query(db, who, { limit: 1000, sort_by: 'name' }));
  await ask('list by use', () => query(db, who, { limit: 5, offset: 3, tags: ['all'] }));
  for (const { owner } of world.slice(0, 5))
    await ask(`list ${owner.user}`, () =>
      query(db, who, { created_by: `${owner.user}*`, visibility: 'private' }),
    );
  await ask('tools', () => listNamed(db, who, '', 1000, LIFECYCLE).then((all) => all.map(asTool)));
  await ask('most used', () => listMostUsed(db, who, 3, LIFECYCLE).then((all) => all.map(asTool)));
  await ask('names', () => someNames(db, who, 1000));
  await ask('stats', () => statistics(db, who, {}, LIFECYCLE));
  for (const one of world) {
    const { spellings } = one;
    // Those who may see a record find it by each spelling, with or without the hidden ones.
    for (const name of sees(who, one) ? spellings.slice(0, 1) : spellings) {
      await ask(`resolve ${name}`, () => resolve(db, who, name).then(summarize));
      await ask(`resolve ${name}@v1`, () => resolve(db, who, `${name}@v1`).then(summarize));
      await ask(`server ${name}`, () => findServer(db, who, name));
    }
    const [name, fqdn] = [spellings[0] as string, spellings.find((one) => /\.\w{4,}$/.test(one)) as string];
    for (const each of [name, fqdn]) {
      await ask(`whois ${each}`, async () => describe(registry, who, await resolve(db, who, each)));
      await ask(`history ${each}`, async () => history(db, who, await resolve(db, who, each)));
      await ask(`rename ${each}`, () =>
        rename(registryOf(db), who, each, { description: 'seen' }).then(told),
      );
      await ask(`update ${each}`, () => update(registry, who, each, codeOf('tried')).then(told));
      await ask(`retire ${each}`, () => retire(registryOf(db), who, each, 30).then(told));
      await ask(`restore ${each}`, () => restore(registryOf(db), who, each).then(told));
    }
    await ask(`stats of ${fqdn}`, () => statistics(db, who, { fqdn }, LIFECYCLE));
    await ask(`fork ${name}`, () => fork(registry, who, name, `fork${answers.length}`).then(told));
    await ask(`history of the fork of ${name}`, async () =>
      history(db, who, await resolve(db, who, `fork${answers.length - 1}`)),
    );
    // Code that equals a hidden record's is new code.
    const word = name.split(':')[0] as string;
    await ask(`remember ${word}`, async () => {
      const { capability, created, warnings } = await remember(
        registry,
        who,
        codeOf(word, `mine${answers.length}`),
      );
      return { name: capability.name, created, warnings };
    });
  }
  return answers;
}

function asTool({ listedName, name, description, parametersSchema }: NamedCapability): object {
  return { listedName, name, description, parametersSchema };
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes what differs between two runs of the same act: times and new ids. */
function timeless(answer: unknown, world: readonly Inhabitant[], began: string): unknown {
  const known = new Set(world.flatMap(({ spellings }) => spellings));
  const plain = JSON.stringify(answer ?? null, (_, value) => {
    if (typeof value !== 'string') return value;
    if (/^\d{4}-\d\d-\d\dT/.test(value) && value >= began) return 'now';
    return ID.test(value) && !known.has(value) ? 'new' : value;
  });
  return JSON.parse(plain);
}

/** Runs an act, and rolls it back. */
async function undone<T>(db: Db, act: (inside: Db) => Promise<T>): Promise<T> {
  let value: T | undefined;
  const enough = new Error('enough');
  await db
    .transaction(async (tx) => {
      value = await act({ ...db, engine: db.engine, query: tx.query, transaction: within(tx) });
      throw enough;
    })
    .catch((error) => {
      if (error !== enough) throw error;
    });
  return value as T;
}

function within(tx: Queryable): Db['transaction'] {
  return async (body) => {
    await tx.query('savepoint inner_one');
    try {
      return await body(tx);
    } catch (error) {
      await tx.query('rollback to savepoint inner_one');
      throw error;
    }
  };
}
