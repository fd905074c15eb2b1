import assert from 'node:assert/strict';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { affectsToolList, type Learned, listNamed, onChange, remember, resolve } from '../index.ts';
import { registryOf } from '../testing.ts';

const ana: Principal = { user: 'ana', org: 'local', project: 'default' };
const ben: Principal = { user: 'ben', org: 'local', project: 'default' };

function learned(hash: string, more: Partial<Learned> = {}): Learned {
  return {
    code: `return await mcp.fs.read({ path: args.path });`,
    codeHash: hash.padEnd(64, '0'),
    parametersSchema: { type: 'object', properties: { path: { type: 'string', default: 'a' } } },
    toolsUsed: ['fs:read'],
    namespace: 'fs',
    intent: 'read a file',
    ...more,
  };
}

async function count(db: Db, table: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*) as n from ${table} where to_jsonb(${table}) ->> 'code_url' is null`,
  );
  return rows[0]?.n as number;
}

onBothEngines('an unnamed capability gets an identity and a name made of its hash', async ({ db }) => {
  const { capability, created } = await remember(registryOf(db), ana, learned('a7f3b2c1'));

  assert.equal(created, true);
  assert.equal(capability.fqdn, 'local.default.fs.exec_a7f3b2c1.a7f3');
  assert.equal(capability.name, 'unnamed_a7f3b2c1');
  assert.equal(capability.named, false);
  assert.equal(capability.visibility, 'private');
});

onBothEngines('the same code again is the same capability', async ({ db }) => {
  const first = await remember(registryOf(db), ana, learned('a7f3b2c1'));
  const second = await remember(registryOf(db), ana, learned('a7f3b2c1'));

  assert.equal(second.created, false);
  assert.equal(second.capability.fqdn, first.capability.fqdn);
  assert.equal(await count(db, 'capability_records'), 1);
  assert.equal(await count(db, 'capability_versions'), 1);
});

onBothEngines('the same code of two users is two private capabilities', async ({ db }) => {
  const first = await remember(registryOf(db), ana, learned('a7f3b2c1', { code: 'return "ana"' }));
  const second = await remember(registryOf(db), ben, learned('a7f3b2c1', { code: 'return "ben"' }));

  assert.equal(second.created, true);
  assert.equal(second.capability.fqdn, 'local.default.fs.exec_a7f3b2c1.a7f3b');
  assert.equal(second.capability.code, 'return "ben"');
  await assert.rejects(resolve(db, ben, first.capability.fqdn), /Capability not found/);
});

onBothEngines('simultaneous runs of one code make one capability', async ({ db, again }) => {
  const other = await again();
  const runs = Array.from({ length: 20 }, (_, i) =>
    remember(registryOf(i % 2 ? db : other), ana, learned('beef0001')),
  );

  const all = await Promise.all(runs);

  assert.equal(all.filter(({ created }) => created).length, 1);
  assert.equal(new Set(all.map(({ capability }) => capability.fqdn)).size, 1);
});

onBothEngines('of two simultaneous claims of a name one wins, and the other fails', async ({ db, again }) => {
  const other = await again();
  for (let round = 0; round < 10; round++) {
    const name = `fs:race_${round}`;
    const outcomes = await Promise.allSettled([
      remember(registryOf(db), ana, learned(`aaaa${round}001`, { name })),
      remember(registryOf(other), ana, learned(`bbbb${round}002`, { name })),
    ]);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 1);
    assert.equal(
      (lost[0] as PromiseRejectedResult).reason.message,
      `Capability name '${name}' already exists in scope local.default`,
    );
  }
  assert.equal(await count(db, 'capability_records'), 10);
});

onBothEngines('a name given later changes the name and not the identity', async ({ db }) => {
  const unnamed = await remember(registryOf(db), ana, learned('a7f3b2c1'));
  const named = await remember(registryOf(db), ana, learned('a7f3b2c1', { name: 'fs:read_it' }));

  assert.equal(named.capability.fqdn, unnamed.capability.fqdn);
  assert.equal(named.capability.name, 'fs:read_it');
  const again = await remember(registryOf(db), ana, learned('a7f3b2c1', { name: 'fs:other' }));
  assert.equal(again.capability.name, 'fs:read_it');
  assert.match(again.warnings[0] as string, /already the capability "fs:read_it"/);
  const former = await resolve(db, ana, 'unnamed_a7f3b2c1');
  assert.equal(former.deprecatedAlias, 'unnamed_a7f3b2c1');
  const { rows } = await db.query('select alias, target_fqdn from capability_aliases');
  assert.deepEqual(rows, [{ alias: 'unnamed_a7f3b2c1', target_fqdn: unnamed.capability.fqdn }]);
});

onBothEngines('every spelling finds the capability', async ({ db }) => {
  const { capability } = await remember(registryOf(db), ana, learned('a7f3b2c1', { name: 'fs:read_json' }));
  const { fqdn, id } = capability;
  const spellings = [
    fqdn,
    id,
    'fs:read_json',
    'cap:fs:read_json',
    'mcp__fs__read_json',
    'local.default:fs:read_json',
    'local.default.fs.read_json',
    'fs:readJson',
    'FS:read-json',
  ];
  for (const spelling of spellings) assert.equal((await resolve(db, ana, spelling)).fqdn, fqdn, spelling);
  for (const wrong of ['fs:read', 'nope', '', "x' or '1'='1", '%', 'other.default:fs:read_json']) {
    await assert.rejects(resolve(db, ana, wrong), { message: `Capability not found: ${wrong}` });
  }
});

onBothEngines(
  'two names that differ only in spelling are both reachable, and a loose spelling is refused',
  async ({ db }) => {
    await remember(registryOf(db), ana, learned('aaaa', { name: 'fs:read_json' }));
    await remember(registryOf(db), ana, learned('bbbb', { name: 'fs:readJson' }));
    assert.equal((await resolve(db, ana, 'fs:read_json')).codeHash.slice(0, 4), 'aaaa');
    assert.equal((await resolve(db, ana, 'fs:readJson')).codeHash.slice(0, 4), 'bbbb');
    await assert.rejects(
      resolve(db, ana, 'fs:readjson'),
      /could mean "fs:read_?[Jj]son" and "fs:read_?[Jj]son"/,
    );
  },
);

onBothEngines(
  'naming is announced to everyone on the database, and so are changes that affect no list',
  async ({ db, again }) => {
    const other = await again();
    const heard: unknown[] = [];
    const second = Promise.withResolvers<void>();
    const stop = await onChange(other, (change) => {
      heard.push(change !== 'unknown' && [change.org, change.project, change.what, affectsToolList(change)]);
      if (heard.length === 2) second.resolve();
    });
    await remember(registryOf(db), ana, learned('aaaa'));
    await remember(registryOf(db), ana, learned('bbbb', { name: 'fs:b' }));
    await second.promise;
    await stop();
    assert.deepEqual(heard, [
      ['local', 'default', 'created', false],
      ['local', 'default', 'named', true],
    ]);
  },
);

onBothEngines('only named capabilities that one may see are listed', async ({ db }) => {
  await remember(registryOf(db), ana, learned('aaaa', { name: 'fs:a' }));
  await remember(registryOf(db), ben, learned('bbbb', { name: 'fs:b' }));
  await remember(registryOf(db), ana, learned('cccc'));
  const names = (await listNamed(db, ana, '', 10)).map(({ listedName }) => listedName);
  assert.deepEqual(names, ['mcp__fs__a']);
});
