import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../log.ts';
import type { Principal } from '../principal.ts';
import type { Db } from '../store/index.ts';
import { freshFolder, onBothEngines } from '../store/testing.ts';
import { Journal, type Usage } from './journal.ts';

const ana: Principal = { user: 'ana', org: 'local', project: 'default' };
const log = openLog({ level: 'silent' });

function usage(more: Partial<Usage> = {}): Usage {
  return { server: 'fs', tool: 'read', who: ana, success: true, durationMs: 1.5, ...more };
}

async function rows(db: Db): Promise<Record<string, unknown>[]> {
  return (await db.query('select server_id, tool, user_id, success, error from tool_usage order by tool'))
    .rows;
}

onBothEngines('every call is stored once, and is there after a flush', async ({ db, t }) => {
  const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
  for (let i = 0; i < 2500; i++) journal.record(usage());
  await journal.flush();
  assert.equal((await rows(db)).length, 2500);
  assert.equal(journal.backlog, 0);
  await journal.close();
  assert.equal((await rows(db)).length, 2500);
});

onBothEngines(
  'the calls of a process that was killed are stored by the next one, once',
  async ({ db, t }) => {
    const spool = join(freshFolder(t), 'journal.jsonl');
    const killed = await Journal.open(db, spool, log);
    killed.record(usage({ tool: 'a' }));
    killed.record(usage({ tool: 'b', success: false, error: 'no' }));
    const left = readFileSync(spool, 'utf8');
    assert.equal(left.trim().split('\n').length, 2);
    await killed.close();
    // As if killed after storing the rows, before emptying the spool, while writing a third line.
    writeFileSync(spool, `${left}{"id": "cut`);
    const next = await Journal.open(db, spool, log);
    await next.close();
    assert.deepEqual(
      (await rows(db)).map(({ tool, error }) => [tool, error]),
      [
        ['a', null],
        ['b', 'no'],
      ],
    );
    assert.equal(readFileSync(spool, 'utf8'), '');
  },
);

onBothEngines(
  'rows that nobody could have written do not keep the others from being stored',
  async ({ db, t }) => {
    const spool = join(freshFolder(t), 'journal.jsonl');
    const killed = await Journal.open(db, spool, log);
    killed.record(usage({ tool: 'a' }));
    const [row] = readFileSync(spool, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    await killed.close();
    const odd = [
      null,
      [],
      {},
      { ...row, id: 'x' },
      { ...row, called_at: 'soon' },
      { ...row, run: 7 },
      { ...row, tool: null },
    ];
    const again = { ...row, id: row.id.replace(/^./, '9'), tool: 'b' };
    writeFileSync(spool, [...odd, again].map((one) => `${JSON.stringify(one)}\n`).join(''));
    const next = await Journal.open(db, spool, log);
    assert.equal(next.backlog, 0);
    await next.close();
    assert.deepEqual(
      (await rows(db)).map(({ tool }) => tool),
      ['a', 'b'],
    );
  },
);

onBothEngines('calls that end after the journal was closed are stored by the next one', async ({ db, t }) => {
  const spool = join(freshFolder(t), 'journal.jsonl');
  const closed = await Journal.open(db, spool, log);
  closed.record(usage({ tool: 'a' }));
  await closed.close();
  // Another file gets the number of the spool's.
  const other = join(freshFolder(t), 'other');
  const file = openSync(other, 'w+');
  writeSync(file, 'kept');
  closed.record(usage({ tool: 'b' }));
  await closed.flush();
  closeSync(file);
  assert.equal(readFileSync(other, 'utf8'), 'kept');
  const next = await Journal.open(db, spool, log);
  await next.close();
  assert.deepEqual(
    (await rows(db)).map(({ tool }) => tool),
    ['a', 'b'],
  );
});

onBothEngines('calls that arrive while others are being stored are not lost by a kill', async ({ db, t }) => {
  const spool = join(freshFolder(t), 'journal.jsonl');
  const late = ['late'];
  const during = new Proxy(db, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (key !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (...query: Parameters<Db['query']>) => {
        const stored = await target.query(...query);
        for (const tool of late.splice(0)) busy.record(usage({ tool }));
        return stored;
      };
    },
  });
  const busy = await Journal.open(during, spool, log);
  busy.record(usage({ tool: 'early' }));
  await busy.flush();
  assert.equal(busy.backlog, 1);
  // As if killed here: the next process finds the late call alone.
  assert.equal(readFileSync(spool, 'utf8'), '');
  const next = await Journal.open(db, spool, log);
  assert.deepEqual(
    (await rows(db)).map(({ tool }) => tool),
    ['early', 'late'],
  );
  await next.close();
  await busy.close();
});

onBothEngines('each row has its own time, duration and outcome', async ({ db, t }) => {
  const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
  const before = Date.now();
  journal.record(usage({ tool: 'a', durationMs: 0.25 }));
  journal.record(usage({ tool: 'b', durationMs: 2 }));
  journal.record(usage({ tool: 'a', durationMs: 3, success: false, error: 'no' }));
  journal.record(usage({ tool: 'a', durationMs: 4, who: { ...ana, agent: 'clerk' }, cached: true }));
  const after = Date.now();
  await journal.close();
  const { rows: stored } = await db.query(
    'select tool, agent, success, error, cached, duration_ms, called_at from tool_usage order by duration_ms',
  );
  assert.deepEqual(
    stored.map(({ called_at: _, ...row }) => Object.values(row)),
    [
      ['a', null, true, null, false, 0.25],
      ['b', null, true, null, false, 2],
      ['a', null, false, 'no', false, 3],
      ['a', 'clerk', true, null, true, 4],
    ],
  );
  for (const { called_at } of stored) {
    const at = (called_at as Date).getTime();
    assert.ok(at >= before && at <= after, `${at}`);
  }
});

onBothEngines('text that the database cannot hold does not stop the batch', async ({ db, t }) => {
  const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
  journal.record(usage({ tool: 'odd\0name', success: false, error: 'half a \ud83d pair' }));
  journal.record(usage({ tool: 'plain' }));
  await journal.close();
  assert.deepEqual(
    (await rows(db)).map(({ tool }) => tool),
    ['oddname', 'plain'],
  );
});

onBothEngines('a batch that cannot be stored is kept and stored later', async ({ db, t }) => {
  let broken = true;
  const flaky = new Proxy(db, {
    get: (target, key) => {
      if (key === 'query' && broken) return () => Promise.reject(new Error('disk full'));
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const journal = await Journal.open(flaky, join(freshFolder(t), 'journal.jsonl'), log);
  journal.record(usage());
  await journal.flush();
  assert.equal(journal.backlog, 1);
  broken = false;
  await journal.close();
  assert.equal((await rows(db)).length, 1);
});

onBothEngines('a batch that was stored without an answer is not stored twice', async ({ db, t }) => {
  let answers = false;
  const mute = new Proxy(db, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (key !== 'query' || answers) return typeof value === 'function' ? value.bind(target) : value;
      return async (...query: Parameters<Db['query']>) => {
        await target.query(...query);
        throw new Error('connection lost');
      };
    },
  });
  const journal = await Journal.open(mute, join(freshFolder(t), 'journal.jsonl'), log);
  journal.record(usage({ tool: 'a' }));
  await journal.flush();
  assert.equal(journal.backlog, 1);
  answers = true;
  journal.record(usage({ tool: 'b' }));
  await journal.close();
  assert.deepEqual(
    (await rows(db)).map(({ tool }) => tool),
    ['a', 'b'],
  );
});

onBothEngines('a capability counts its calls together with their rows', async ({ db, t }) => {
  const fqdn = 'local.default.fs.a.abcd';
  await db.query(
    `insert into capability_records (id, display_name, listed_name, org, project, namespace, action, hash, created_by,
       updated_by) values ($1, 'fs:a', 'mcp__fs__a', 'local', 'default', 'fs', 'a', 'abcd', 'ana', 'ana')`,
    [fqdn],
  );
  const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
  journal.record(usage({ fqdn, durationMs: 40 }));
  journal.record(usage({ fqdn, durationMs: 5, success: false }));
  await journal.close();
  const { rows: counted } = await db.query(
    "select usage_count, success_count, total_latency_ms from capability_records where record_type = 'capability'",
  );
  assert.deepEqual(counted, [{ usage_count: 2, success_count: 1, total_latency_ms: 45 }]);
});
