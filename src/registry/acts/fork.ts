import type { Principal } from '../../principal.ts';
import { SHARE_DRIFT_LOCK } from '../drift/drift-lock.ts';
import { resolve } from '../lookup/resolve.ts';
import { type Capability, intentFor } from '../record/capability.ts';
import { schemaShownTo } from '../record/examples.ts';
import { saveVerdicts } from '../tables/parameter-verdicts.ts';
import { type Registry, verifySignature } from '../trust/signature.ts';
import { create, type NewRecord } from './create.ts';
import { assertMayGiveName } from './permissions.ts';

/** Copies a capability, at the version that is named, into the principal's own scope. */
export async function fork(
  registry: Registry,
  who: Principal,
  source: string,
  name: string,
): Promise<Capability> {
  // A copy of tampered code must not get a valid signature.
  const found = await verifySignature(registry, who, await resolve(registry.db, who, source));
  const { fqdn, version, name: _, ...copied } = { ...found, parametersSchema: schemaShownTo(who, found) };
  // Without the source's name: readers of the history may not see the source. `forked_from` tells those who may.
  const summary = `forked at version ${version}`;
  const dependencies = { fqdn, version };
  const intent = intentFor(who, found);
  return createNamed(registry, who, {
    ...copied,
    ...{ intent, name, summary, dependencies },
    forkedFrom: fqdn,
    parent: fqdn,
  });
}

/** Creates a capability of its own, even if another one has the same code. */
export async function createNamed(
  { db, keys }: Registry,
  who: Principal,
  newRecord: NewRecord & { name: string },
): Promise<Capability> {
  assertMayGiveName(who, newRecord.name);
  return db.transaction(async (tx) => {
    await tx.query(`select ${SHARE_DRIFT_LOCK}`);
    const created = await create(tx, keys, who, newRecord);
    await saveVerdicts(tx, who, newRecord.verdicts);
    return created;
  });
}
