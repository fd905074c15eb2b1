import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../log.ts';
import type { Principal } from '../principal.ts';
import { ana, ben, dan, saveCapability } from '../registry/testing.ts';
import { type EvidenceChange, onEvidence } from '../registry/usage/index.ts';
import type { Db } from '../store/index.ts';
import { freshFolder, onBothEngines } from '../store/testing.ts';
import { Journal } from './index.ts';

const log = openLog({ level: 'silent' });

async function recentOf(db: Db, fqdn: string) {
  const { rows } = await db.query<{ recent: string; used: boolean; count: number }>(
    `select recent, last_used_at > now() - interval '10 minutes' as used, usage_count as count
     from capability_records where id = $1`,
    [fqdn],
  );
  return rows[0] as { recent: string; used: boolean; count: number };
}

onBothEngines('the outcomes of the last calls are kept in their order, once each', async ({ db, t }) => {
  const { fqdn } = await saveCapability(db, ana, 'my:own');
  await db.query(`update capability_records set last_used_at = now() - interval '1 year'`);
  const spool = join(freshFolder(t), 'journal.jsonl');
  const journal = await Journal.open(db, spool, log);
  const call = (success: boolean) =>
    journal.record({ server: 'pml-capabilities', tool: 'my:own', fqdn, who: ana, success, durationMs: 1 });
  for (const success of [true, false, false]) call(success);
  const left = readFileSync(spool, 'utf8');
  await journal.flush();
  assert.deepEqual(await recentOf(db, fqdn), { recent: '100', used: true, count: 3 });
  // The same rows again, as after a kill, are neither counted nor remembered twice.
  await journal.close();
  writeFileSync(spool, left);
  const next = await Journal.open(db, spool, log);
  assert.deepEqual(await recentOf(db, fqdn), { recent: '100', used: true, count: 3 });
  for (let turn = 0; turn < 30; turn++)
    next.record({ server: 's', tool: 't', fqdn, who: ana, success: turn % 3 !== 0, durationMs: 1 });
  await next.flush();
  // The last 20 of 30 are kept.
  assert.equal((await recentOf(db, fqdn)).recent, '011'.repeat(10).slice(-20));
  await next.close();
});

onBothEngines(
  'failures caused by callers or in other scopes take nothing off the list',
  async ({ db, t }) => {
    const { fqdn } = await saveCapability(db, ana, 'my:own', 'public');
    const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
    const call = (who: Principal, success: boolean, byCaller = false) =>
      journal.record({ server: 's', tool: 't', fqdn, who, success, byCaller, durationMs: 1 });
    call(ana, true);
    call(ana, false, true);
    call(dan, false);
    call(dan, true);
    call(ben, false);
    await journal.flush();
    // All are counted; ana's first, dan's success and ben's failure are evidence.
    assert.deepEqual(await recentOf(db, fqdn), { recent: '110', used: true, count: 5 });
    await journal.close();
  },
);

onBothEngines(
  'calls that may change a list are announced, with the evidence before and after',
  async ({ db, t }) => {
    const { fqdn } = await saveCapability(db, ana, 'my:own');
    const { fqdn: unnamed } = await saveCapability(db, ana);
    const heard: EvidenceChange[] = [];
    const waiting: (() => void)[] = [];
    const stop = await onEvidence(db, (change) => {
      heard.push(change);
      waiting.splice(0).forEach((resolve) => {
        resolve();
      });
    });
    const journal = await Journal.open(db, join(freshFolder(t), 'journal.jsonl'), log);
    const call = async (of: string, success: boolean) => {
      journal.record({ server: 's', tool: 't', fqdn: of, who: ana, success, durationMs: 1 });
      await journal.flush();
    };
    // Nothing can have changed.
    await call(fqdn, true);
    await call(unnamed, false);
    const told = new Promise<void>((resolve) => waiting.push(resolve));
    await call(fqdn, false);
    await told;
    assert.deepEqual(
      heard.map(({ org, project, before, after }) => [org, project, before.recent, after.recent]),
      [['acme', 'web', '1', '10']],
    );
    assert.ok((heard[0] as EvidenceChange).after.lastUsedAt instanceof Date);
    await db.query(`update capability_records set recent = '', last_used_at = now() - interval '1 year'`);
    const again = new Promise<void>((resolve) => waiting.push(resolve));
    await call(fqdn, true);
    await again;
    const { before, after } = heard[1] as EvidenceChange;
    assert.ok(after.lastUsedAt.getTime() - before.lastUsedAt.getTime() > 300 * 86_400_000);
    await journal.close();
    await stop();
  },
);
