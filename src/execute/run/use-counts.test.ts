import assert from 'node:assert/strict';
import { ana, saveCapability } from '../../registry/testing.ts';
import { onBothEngines } from '../../store/testing.ts';
import { UseCounts } from './use-counts.ts';

onBothEngines('uses are counted in memory until they are read again', async ({ db }) => {
  const { fqdn } = await saveCapability(db, ana);
  await db.query('update capability_records set usage_count = 3 where id = $1', [fqdn]);
  const counts = new UseCounts(db, Number.POSITIVE_INFINITY);
  assert.equal(await counts.count(fqdn), 3);
  await db.query('update capability_records set usage_count = 100 where id = $1', [fqdn]);
  assert.equal(await counts.count(fqdn), 4);
  assert.equal(await counts.count('unknown'), 0);
  const impatient = new UseCounts(db, 0);
  await impatient.count(fqdn);
  assert.equal(await impatient.count(fqdn), 100);
});
