import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { freshDatabase } from '../../testing/postgres.ts';
import { type Db, openDb } from '../index.ts';
import { ChangeFeed } from './change-feed.ts';

async function open(t: TestContext, databaseUrl: string): Promise<Db> {
  const db = await openDb({ home: '', databaseUrl });
  t.after(() => db.close());
  return db;
}

/** Ends every other connection to the database, as a server that restarts would. */
async function dropOthers(db: Db): Promise<void> {
  await db.query(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

/** A proxy to the server that can be blocked: then it accepts bytes and drops them. */
async function blockableProxy(t: TestContext, url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const way = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    way.close();
  });
  const through = Object.assign(new URL(url), { port: (way.address() as AddressInfo).port });
  const block = () => {
    for (const socket of sockets) socket.unpipe();
  };
  return { url: through.href, block };
}

test('an unreachable server is named, without the password', async () => {
  await assert.rejects(
    openDb({ home: '', databaseUrl: 'postgres://ana:s3cret@127.0.0.1:1/things' }),
    (error: Error) => {
      assert.equal((error as Error & { code?: string }).code, 'database_unreachable');
      assert.match(error.message, /127\.0\.0\.1:1\/things.*ECONNREFUSED/);
      assert.doesNotMatch(JSON.stringify([error.message, error.stack, error.cause]), /s3cret/);
      return true;
    },
  );
});

test('an invalid address is refused without being quoted', async () => {
  for (const databaseUrl of ['postgres://ana:s3cret@host:port/x', 'mysql://ana:s3cret@host/x', 's3cret']) {
    await assert.rejects(openDb({ home: '', databaseUrl }), (error: Error) => {
      assert.match(error.message, /PML_DATABASE_URL is not a PostgreSQL address/);
      assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /s3cret/);
      return true;
    });
  }
});

test('a refused password is reported as such', async () => {
  const url = Object.assign(new URL(await freshDatabase()), { password: 'wrong' }).href;
  await assert.rejects(openDb({ home: '', databaseUrl: url }), {
    code: 'database_unreachable',
    message: /password authentication failed/,
  });
});

test('after the server drops connections, running statements fail and later ones succeed', async (t) => {
  const url = await freshDatabase();
  const [db, other] = [await open(t, url), await open(t, url)];
  const begun = Promise.withResolvers<void>();
  const running = db.transaction(async (tx) => {
    await tx.query('create table half (n integer)');
    begun.resolve();
    await tx.query('select pg_sleep(60)');
  });
  await begun.promise;

  await Promise.all([
    assert.rejects(running, { code: 'database_unreachable', message: /127\.0\.0\.1.*terminat/ }),
    dropOthers(other),
  ]);

  await assert.rejects(db.query('select * from half'), { code: '42P01' });
});

test('an interrupted feed reconnects, and its listeners are told of the gap', async (t) => {
  const url = await freshDatabase();
  const [db, other] = [await open(t, url), await open(t, url)];
  const gap = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<string>();
  await db.listen('changes', heard.resolve, gap.resolve);

  await dropOthers(other);
  await gap.promise;

  await other.query(`select pg_notify('changes', 'after the gap')`);
  assert.equal(await heard.promise, 'after the gap');
});

test('a connection that is cut silently is noticed', async (t) => {
  const url = await freshDatabase();
  const way = await blockableProxy(t, url);
  const feed = new ChangeFeed(way.url, 1000);
  t.after(() => feed.close());
  const gap = Promise.withResolvers<void>();
  await feed.listen('changes', { onPayload: () => {}, onGap: gap.resolve });
  way.block();
  await gap.promise;
});

test('listening fails at once if the server cannot be reached', async (t) => {
  const feed = new ChangeFeed('postgres://ana:s3cret@127.0.0.1:1/things');
  t.after(() => feed.close());
  const listening = feed.listen('changes', { onPayload: () => {}, onGap: () => {} });
  await assert.rejects(listening, { code: 'database_unreachable' });
});

test('a server with another time zone and date style returns the same values', async (t) => {
  const url = await freshDatabase();
  const database = new URL(url).pathname.slice(1);
  const setting = await open(t, url);
  await setting.query(`alter database ${database} set timezone to 'Asia/Tokyo'`);
  await setting.query(`alter database ${database} set datestyle to 'SQL, DMY'`);
  const db = await open(t, url);
  const { rows } = await db.query(
    `select t, t::date as day from (select '2026-11-05T23:30:00Z'::timestamptz as t)`,
  );
  assert.deepEqual(rows, [{ t: new Date('2026-11-05T23:30:00Z'), day: '2026-11-05' }]);
});
