import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { remember, rename } from '../index.ts';
import { ana, ben, cyd, learned, registryOf } from '../testing.ts';
import { findSameCode } from './same-code.ts';

onBothEngines('the same code is one capability, other code is another', async ({ db }) => {
  const first = await remember(registryOf(db), ana, learned('aaaa'));
  const again = await remember(registryOf(db), ana, learned('aaaa'));
  const other = await remember(registryOf(db), ana, learned('bbbb'));

  assert.deepEqual([first.created, again.created, other.created], [true, false, true]);
  assert.equal(again.capability.fqdn, first.capability.fqdn);
});

onBothEngines('the same code is found where the principal may see it, own records first', async ({ db }) => {
  const { capability } = await remember(registryOf(db), ana, learned('aaaa'));
  const find = async (who: typeof ana) => (await findSameCode(db, who, capability.codeHash))?.fqdn;
  assert.equal(await find(ana), capability.fqdn);
  assert.equal(await find(ben), undefined, 'private to another user');

  await rename(registryOf(db), ana, capability.fqdn, { visibility: 'project' });
  assert.equal(await find(ben), capability.fqdn);
  assert.equal(await find(cyd), undefined, 'in another scope');
});

onBothEngines('the same code that runs twice at once becomes one capability', async ({ db, again }) => {
  const both = [db, await again()].map((one) => remember(registryOf(one), ana, learned('aaaa')));
  const [first, second] = await Promise.all(both);
  assert.equal(first?.capability.fqdn, second?.capability.fqdn);
});
