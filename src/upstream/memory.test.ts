import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ServerConfig } from '../config/index.ts';
import { openLog } from '../log.ts';
import { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { onBothEngines } from '../store/testing.ts';
import { type ServerMemory, UpstreamMemory } from './memory.ts';

const log = openLog({ level: 'silent' });
const secret = Buffer.alloc(32, 1);
const scope = { org: 'acme', project: 'web' };
const seen = { era: 'legacy', catalog: { instructions: 'for Ana alone' } } as ServerMemory;

function remote(headers: Record<string, string>): ServerConfig {
  const transport = { kind: 'http', url: 'https://shop.example/mcp', headers };
  return {
    name: 'shop',
    transport,
    routing: 'cloud',
    perSession: false,
    timeoutMs: 1,
    prefix: true,
  } as ServerConfig;
}

function local(env: Record<string, string>): ServerConfig {
  const transport = { kind: 'stdio', command: 'shop', args: [], env, cwd: '/' };
  return { ...remote({}), transport } as ServerConfig;
}

async function keysOf(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>('select key from upstream_memory order by key');
  return rows.map(({ key }) => key);
}

async function rowsOf(db: Db, count: number): Promise<string[]> {
  for (;;) {
    const keys = await keysOf(db);
    if (keys.length >= count) return keys;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

onBothEngines(
  'the catalogue of a server is remembered for its credentials and scope alone',
  async ({ db, again }) => {
    const first = await UpstreamMemory.open(db, log, secret);
    for (const server of [remote({ authorization: 'ana' }), local({ KEY: 'ana' })])
      first.remember(scope, server, seen, new Redactor());
    await rowsOf(db, 2);
    const second = await UpstreamMemory.open(await again(), log, secret);
    for (const memory of [first, second]) {
      assert.deepEqual(memory.recall(scope, remote({ authorization: 'ana' })), seen);
      assert.deepEqual(memory.recall(scope, local({ KEY: 'ana' })), seen);
      for (const other of [remote({ authorization: 'ben' }), remote({}), local({ KEY: 'ben' }), local({})])
        assert.equal(memory.recall(scope, other), undefined);
      for (const elsewhere of [
        { ...scope, org: 'other' },
        { ...scope, project: 'other' },
      ])
        assert.equal(memory.recall(elsewhere, remote({ authorization: 'ana' })), undefined);
    }
  },
);

onBothEngines('the order of headers does not matter', async ({ db }) => {
  const memory = await UpstreamMemory.open(db, log, secret);
  memory.remember(scope, remote({ a: '1', b: '2' }), seen, new Redactor());
  assert.deepEqual(memory.recall(scope, remote({ b: '2', a: '1' })), seen);
});

onBothEngines(
  'another instance on the same database recalls nothing, and its key cannot be guessed',
  async ({ db, again }) => {
    const one = await UpstreamMemory.open(db, log, secret);
    one.remember(scope, remote({ authorization: 'ana' }), seen, new Redactor());
    const other = await UpstreamMemory.open(await again(), log, Buffer.alloc(32, 2));
    assert.equal(other.recall(scope, remote({ authorization: 'ana' })), undefined);
    other.remember(scope, remote({ authorization: 'ana' }), seen, new Redactor());
    const [a, b] = (await rowsOf(db, 2)).map((key) => key.split(':')[1]);
    assert.notEqual(a, b);
    const what = JSON.stringify([
      'acme',
      'web',
      ['http', 'https://shop.example/mcp', [['authorization', 'ana']]],
    ]);
    assert.ok(![a, b].includes(createHash('sha256').update(what).digest('hex')));
  },
);

onBothEngines('memories that an older version kept for all credentials are deleted', async ({ db }) => {
  await db.query(
    `insert into upstream_memory (key, era, catalog) values ($1, 'legacy', '{}'), ($2, 'legacy', '{}')`,
    ['0'.repeat(64), `${'1'.repeat(16)}:${'2'.repeat(64)}`],
  );
  await UpstreamMemory.open(db, log, secret);
  assert.deepEqual(await keysOf(db), [`${'1'.repeat(16)}:${'2'.repeat(64)}`]);
});
