/** What one user's runs leave to be remembered takes a few places in the database, and no more. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { NameIndex } from '../../src/access/index.ts';
import { Executor } from '../../src/execute/index.ts';
import { openLog } from '../../src/log.ts';
import type { Principal } from '../../src/principal.ts';
import { NameCache, query } from '../../src/registry/index.ts';
import { ana, ben, registryOf } from '../../src/registry/testing.ts';
import { Journal, OutputObserver, Recordings, RunDetails } from '../../src/runs/index.ts';
import { openSandbox } from '../../src/sandbox/index.ts';
import { Redactor } from '../../src/secrets/index.ts';
import type { Db } from '../../src/store/index.ts';
import { freshFolder, onBothEngines, type TestStore } from '../../src/store/testing.ts';
import { eventually } from '../../src/testing/wait.ts';

const RUNS = 24;
/** How many runs of one user are remembered at a time. */
const EACH = 4;

const sandbox = openSandbox({ processes: 4 });
after(() => sandbox.close());

/** An executor whose transactions wait until they are let go; `begun` tells how many came to the database. */
async function world({ db: store, t }: TestStore) {
  const held = Promise.withResolvers<void>();
  const begun: string[] = [];
  let isHolding = true;
  const db: Db = {
    engine: store.engine,
    query: (sql, params, options) => store.query(sql, params, options),
    transaction: async (body) => {
      if (isHolding) {
        begun.push('transaction');
        await held.promise;
      }
      return store.transaction(body);
    },
    notify: (channel, payload) => store.notify(channel, payload),
    listen: (channel, listener, onGap) => store.listen(channel, listener, onGap),
    close: () => store.close(),
  };
  const log = openLog({ level: 'error', print: () => {} });
  const names = await NameCache.open(db);
  const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
  const [recordings, details, outputs] = [
    new Recordings(db, log),
    new RunDetails(db, log),
    new OutputObserver(db, log),
  ];
  t.after(async () => {
    await Promise.all([details.flush(), outputs.flush(), outputs.tools.flush()]);
    await journal.close();
  });
  const executor = new Executor({
    ...{ db, keys: registryOf(db).keys, names, journal, recordings, details, outputs, log, sandbox },
  });
  const settings = {
    config: { sandbox: { timeoutMs: 300_000, memoryMb: 64 }, names: { listed: 'mcp' } },
    redactor: new Redactor(),
  } as unknown as Parameters<Executor['execute']>[2];
  let done = 0;
  const learn = async (who: Principal, n: number) => {
    const caller = { who, tools: new NameIndex('tool', []), call: { session: who.user } };
    const code = `const count = [1, 2, 3].length;\nreturn { key_${n}: count + args.n };`;
    const { answer } = await executor.execute({ intent: 'count', code, args: { n } }, caller, settings);
    done += 1;
    return answer.capabilityFqdn;
  };
  const release = () => {
    isHolding = false;
    held.resolve();
  };
  return { store, begun, learn, release, done: () => done };
}

onBothEngines(
  'a user who learns much at once leaves the database to others: their runs and lists do not wait for the rest',
  async (at) => {
    const { store, begun, learn, release, done } = await world(at);
    const mine = Array.from({ length: RUNS }, (_, n) => learn(ana, n));
    await eventually(() => begun.length >= EACH, 'the first runs are remembered');
    const others = learn(ben, RUNS);
    await eventually(() => begun.length > EACH, 'the run of another user is remembered beside them');
    // All runs of ana have ended by now, but for what they leave.
    assert.equal(begun.length, EACH + 1);
    assert.equal((await query(store, ben, {})).total, 0);
    assert.equal(done(), 0);
    release();
    const fqdns = await Promise.all([...mine, others]);

    assert.equal(new Set(fqdns).size, RUNS + 1);
    assert.equal((await query(store, ana, {})).total, RUNS);
  },
);
