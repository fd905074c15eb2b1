/**
 * The code of a capability starts while its row is read. Whatever the row then says, code that is not confirmed has had no
 * effect: no call, no line, no row, no result.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type DirectoryEntry, NameIndex } from '../../src/access/index.ts';
import { Executor } from '../../src/execute/index.ts';
import { openLog } from '../../src/log.ts';
import type { Principal } from '../../src/principal.ts';
import { type Learned, NameCache, remember, rename, retire, update } from '../../src/registry/index.ts';
import { ana, ben, failureOf, learned, registryOf } from '../../src/registry/testing.ts';
import { signedText } from '../../src/registry/trust/signature.ts';
import { Journal, OutputObserver, Recordings, RunDetails } from '../../src/runs/index.ts';
import { type Outcome, openSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { Redactor } from '../../src/secrets/index.ts';
import type { Db } from '../../src/store/index.ts';
import { freshFolder, onBothEngines, type TestStore } from '../../src/store/testing.ts';
import { eventually } from '../../src/testing/wait.ts';

const MARKING = `console.log("old"); return (await mcp["desk:mark"]({ by: args.path })) + " by old";`;
const READS_ROW = /"claimSignature"/;
/** Longer than any run takes here, on the busiest machine. */
const RUN_MS = 300_000;

const sandbox = openSandbox({ processes: 8 });
after(() => sandbox.close());

/** Rows are read when the gate is open; while it is closed, reads wait. */
class Gate {
  #open = Promise.withResolvers<void>();

  constructor() {
    this.open();
  }

  close(): void {
    this.#open = Promise.withResolvers<void>();
  }

  open(): void {
    this.#open.resolve();
  }

  fail(error: Error): void {
    this.#open.reject(error);
  }

  /** A handle on the database that reads the rows of capabilities only through the gate. */
  before(db: Db): Db {
    return {
      engine: db.engine,
      query: async (sql, params, options) => {
        if (READS_ROW.test(sql)) await this.#open.promise;
        return db.query(sql, params, options);
      },
      transaction: (body) => db.transaction(body),
      notify: (channel, payload) => db.notify(channel, payload),
      listen: (channel, listener, onGap) => db.listen(channel, listener, onGap),
      close: () => db.close(),
    };
  }
}

/** An executor on a real store and sandbox, and everything that its runs do. */
async function world({ db: store, t }: TestStore) {
  const gate = new Gate();
  const db = gate.before(store);
  const log = openLog({ level: 'error', print: () => {} });
  const names = await NameCache.open(db);
  const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
  t.after(() => journal.close());
  const guests = { started: 0, asked: 0, outcomes: [] as Outcome[] };
  const did = { marks: [] as unknown[], lines: [] as string[], rows: [] as string[] };
  journal.on(({ server, tool, success }) => did.rows.push(`${server}:${tool} ${success}`));
  const watched: Sandbox = {
    ...sandbox,
    run: async (code, args, callOut, limits, options) => {
      guests.started += 1;
      const ask: typeof callOut = (...call) => {
        guests.asked += 1;
        return callOut(...call);
      };
      // No guest is ended for what it computes while a busy machine lets the test wait.
      const outcome = await sandbox.run(code, args, ask, { ...limits, turnCpuMs: RUN_MS }, options);
      guests.outcomes.push(outcome);
      return outcome;
    },
  };
  const { keys } = registryOf(db);
  const [recordings, details, outputs] = [
    new Recordings(db, log),
    new RunDetails(db, log),
    new OutputObserver(db, log),
  ];
  t.after(() => Promise.all([details.flush(), outputs.flush(), outputs.tools.flush()]));
  const executor = new Executor({
    ...{ db, keys, names, journal, recordings, details, outputs, log },
    sandbox: watched,
  });
  const upstream = {
    name: 'desk',
    server: { prefix: true, transport: { kind: 'in-process', id: 'desk' } },
    state: 'ready',
    request: async (_method: string, params: { arguments: unknown }) => {
      did.marks.push(params.arguments);
      return { content: [{ type: 'text', text: 'marked' }] };
    },
  };
  const listed = { name: 'mark', inputSchema: { type: 'object' } };
  const tools = new NameIndex('tool', [{ listed, upstream, own: 'mark' } as unknown as DirectoryEntry]);
  const settings = {
    config: { sandbox: { timeoutMs: RUN_MS, memoryMb: 64 }, names: { listed: 'mcp' } },
    redactor: new Redactor(),
  } as unknown as Parameters<Executor['call']>[3];
  const call = async (who: Principal, name: string, args: object = {}, signal?: AbortSignal) => {
    const caller = {
      ...{ who, tools },
      call: {
        session: who.user,
        ...(signal && { signal }),
        log: (_level: string, text: string) => void did.lines.push(text),
      },
    };
    return (await executor.call(await names.resolve(who, name), args, caller, settings)).result;
  };
  return { db, names, gate, guests, did, call };
}

type World = Awaited<ReturnType<typeof world>>;

/** Remembers a capability for all of the organisation, and returns when the change feed has delivered everything. */
async function save(store: TestStore, { db }: World, more: Partial<Learned> & { name: string }) {
  const { capability } = await remember(
    registryOf(db),
    ana,
    learned('abcd', { code: MARKING, toolsUsed: ['desk:mark'], ...more }),
  );
  const saved = await rename(registryOf(db), ana, capability.fqdn, { visibility: 'org' });
  const last = Promise.withResolvers<void>();
  const stop = await db.listen('last', () => last.resolve(), last.resolve);
  await (await store.again()).notify('last', 'of the feed');
  await last.promise;
  await stop();
  return saved;
}

/** Writes as the owner of the database, whom no trigger stops. */
function tamper(db: Db, sql: string, params: unknown[] = []): Promise<unknown> {
  return db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(sql, params);
  });
}

/** Forgets what runs did so far. */
function forget({ did }: World): void {
  for (const list of Object.values(did)) list.length = 0;
}

/** Calls a capability, and returns once its guest waits for the answer of a call while the row is not read yet. */
async function callUnconfirmed(here: World, who: Principal, name: string, signal?: AbortSignal) {
  const { asked } = here.guests;
  forget(here);
  here.gate.close();
  const result = here.call(who, name, {}, signal);
  result.catch(() => {});
  await eventually(() => here.guests.asked > asked, 'the guest calls out', 60_000, 2);
  return { result };
}

onBothEngines('code starts before its row is read, and has its effects after', async (store) => {
  const here = await world(store);
  await save(store, here, { name: 'desk:same' });
  assert.equal(await here.call(ben, 'desk:same'), 'marked by old');

  const { result } = await callUnconfirmed(here, ben, 'desk:same');
  assert.deepEqual(here.did, { marks: [], lines: [], rows: [] });
  here.gate.open();

  assert.equal(await result, 'marked by old');
  assert.deepEqual(here.did, {
    marks: [{ by: 'a' }],
    lines: ['old'],
    rows: ['desk:mark true', 'pml-capabilities:desk:same true'],
  });
  assert.equal(here.guests.started, 2);
});

type Saved = Awaited<ReturnType<typeof save>>;

/** Things that happen to the row behind a run that has started, and what its caller is told. */
const REFUSALS: Record<string, { change: (db: Db, saved: Saved) => Promise<unknown>; told: RegExp }> = {
  'its code was changed in the database': {
    change: (db) => tamper(db, `update workflow_pattern set code_snippet = 'return "forged"'`),
    told: /^signature_invalid: /,
  },
  'its signature was broken': {
    change: (db) => tamper(db, 'update capability_versions set signature = reverse(signature)'),
    told: /^signature_invalid: /,
  },
  'its record was changed in the database': {
    change: (db) => tamper(db, `update capability_records set description = 'forged'`),
    told: /^signature_invalid: /,
  },
  'another replica retired it': {
    change: (db, { fqdn }) => retire(registryOf(db), ana, fqdn, 0),
    told: /^capability_not_found: /,
  },
  'its maker made it private': {
    change: (db, { fqdn }) => rename(registryOf(db), ana, fqdn, { visibility: 'private' }),
    told: /^capability_not_found: /,
  },
  'its tools changed': {
    change: async (db) => {
      await tamper(db, `update capability_uses set broken = 'gone'`);
      await tamper(db, `update capability_records set stale = 'desk:gone is gone'`);
    },
    told: /^capability_stale: /,
  },
};

for (const [what, { change, told }] of Object.entries(REFUSALS)) {
  onBothEngines(`code that runs has no effect if ${what}`, async (store) => {
    const here = await world(store);
    const dependencies = [{ callee: 'desk:gone', schema: { type: 'object' }, passed: [{}] }];
    const saved = await save(store, here, { name: 'desk:changed', dependencies });
    await here.call(ben, 'desk:changed');

    const { result } = await callUnconfirmed(here, ben, 'desk:changed');
    await change(await store.again(), saved);
    here.gate.open();

    assert.match(await failureOf(result), told);
    const rows = ['pml-capabilities:desk:changed false'];
    assert.deepEqual(here.did, { marks: [], lines: [], rows });
    // The run that was dropped ends, without a word.
    await eventually(() => here.guests.outcomes.length === 2, 'the guest ends');
    assert.deepEqual(here.did, { marks: [], lines: [], rows });
    assert.match(await failureOf(here.call(ben, 'desk:changed')), /^(signature|capability)_/);
    assert.equal(here.guests.started, 2, 'what was refused does not start again');
  });
}

onBothEngines('if the row holds other code that is signed, only that code has effects', async (store) => {
  const here = await world(store);
  const { fqdn, version, parametersSchema } = await save(store, here, { name: 'desk:other' });
  await here.call(ana, 'desk:other');

  const { result } = await callUnconfirmed(here, ana, 'desk:other');
  const code = 'console.log("new"); return "new"';
  const signature = registryOf(here.db).keys.sign(signedText({ fqdn, version, code, parametersSchema }));
  await tamper(here.db, 'update workflow_pattern set code_snippet = $1', [code]);
  await tamper(here.db, 'update capability_versions set signature = $1', [signature]);
  here.gate.open();

  assert.equal(await result, 'new');
  assert.deepEqual(here.did, {
    marks: [],
    lines: ['new'],
    rows: ['pml-capabilities:desk:other true'],
  });
});

onBothEngines('a capability whose results are cached from now on runs once', async (store) => {
  const here = await world(store);
  const { fqdn } = await save(store, here, { name: 'desk:cached' });
  await here.call(ana, 'desk:cached');

  const { result } = await callUnconfirmed(here, ana, 'desk:cached');
  const caching = { cachePolicy: 'memoize', ttl: 60, force: true } as const;
  await rename(registryOf(here.db), ana, fqdn, { caching });
  here.gate.open();

  assert.equal(await result, 'marked by old');
  assert.deepEqual(here.did.marks, [{ by: 'a' }]);
  assert.deepEqual(here.did.lines, ['old']);
});

onBothEngines('after the update of another replica, no old code starts', async (store) => {
  const here = await world(store);
  const { fqdn } = await save(store, here, { name: 'desk:updated' });
  await here.call(ben, 'desk:updated');
  const next = { ...learned('beef', { code: 'return "version 2"' }), routing: 'local' } as const;
  await update(registryOf(await store.again()), ana, fqdn, next);
  await eventually(async () => (await here.names.resolve(ben, 'desk:updated')).version === 2, 'it is heard');
  forget(here);

  assert.equal(await here.call(ben, 'desk:updated'), 'version 2');
  assert.equal(await here.call(ben, 'desk:updated'), 'version 2');
  assert.deepEqual(here.did.marks, []);
  assert.equal(here.guests.started, 3);
});

onBothEngines(
  'a database that fails while code runs is reported, and the code has no effect',
  async (store) => {
    const here = await world(store);
    await save(store, here, { name: 'desk:lost' });
    await here.call(ana, 'desk:lost');

    const { result } = await callUnconfirmed(here, ana, 'desk:lost');
    here.gate.fail(new Error('the connection is lost'));

    await assert.rejects(result, /the connection is lost/);
    await eventually(() => here.guests.outcomes.length === 2, 'the guest ends');
    assert.deepEqual(here.did, { marks: [], lines: [], rows: ['pml-capabilities:desk:lost false'] });
    here.gate.close();
    here.gate.open();
    assert.equal(await here.call(ana, 'desk:lost'), 'marked by old');
  },
);

onBothEngines('a call that is cancelled before its row is read has no effect', async (store) => {
  const here = await world(store);
  await save(store, here, { name: 'desk:cancelled' });
  await here.call(ana, 'desk:cancelled');

  const client = new AbortController();
  const { result } = await callUnconfirmed(here, ana, 'desk:cancelled', client.signal);
  client.abort();
  await eventually(() => here.guests.outcomes.length === 2, 'the guest ends');
  here.gate.open();

  assert.match(await failureOf(result), /^cancelled: /);
  assert.deepEqual(here.did.marks, []);
  assert.deepEqual(here.did.rows, ['pml-capabilities:desk:cancelled false']);
});

onBothEngines('each of many calls at once is confirmed by its own row', async (store) => {
  const here = await world(store);
  const { fqdn } = await save(store, here, { name: 'desk:many' });
  await Promise.all([here.call(ana, 'desk:many'), here.call(ben, 'desk:many')]);
  forget(here);
  const { asked } = here.guests;
  here.gate.close();
  const paths = ['b', 'c', 'd'];
  const calls = [ana, ben].map((who) =>
    paths.map((path) => failureOf(here.call(who, 'desk:many', { path }))),
  );
  await eventually(() => here.guests.asked === asked + 6, 'all guests call out');
  await rename(registryOf(here.db), ana, fqdn, { visibility: 'private' });
  here.gate.open();

  const [own = [], others = []] = await Promise.all(calls.map((some) => Promise.all(some)));
  assert.deepEqual(own, ['done', 'done', 'done']);
  for (const said of others) assert.match(said, /^capability_not_found: /);
  assert.deepEqual(new Set(here.did.marks), new Set(paths.map((by) => ({ by }))));
  assert.equal(here.did.marks.length, 3);
  assert.equal(here.did.lines.length, 3);
});

onBothEngines('code that never ends is ended if its row says no', async (store) => {
  const here = await world(store);
  // It ends in the first run alone.
  const code = 'if (args.path === "a") return "ended"; for (;;) {}';
  const { fqdn } = await save(store, here, { name: 'desk:endless', code });
  await here.call(ben, 'desk:endless');
  forget(here);
  here.gate.close();
  const refused = failureOf(here.call(ben, 'desk:endless', { path: 'b' }));
  await eventually(() => here.guests.started === 2, 'the guest starts');
  await retire(registryOf(here.db), ana, fqdn, 0);
  here.gate.open();

  assert.match(await refused, /^capability_not_found: /);
  await eventually(() => here.guests.outcomes.length === 2, 'the guest ends');
  const [, ended] = here.guests.outcomes;
  assert.equal(ended?.ok === false && ended.kind, 'cancelled');
  assert.deepEqual(here.did.rows, ['pml-capabilities:desk:endless false']);
});

test('nothing is left running', async () => {
  await eventually(
    () => sandbox.stats().processes.every(({ state }) => state !== 'busy') && sandbox.stats().queued === 0,
    'all guests have ended',
  );
});
