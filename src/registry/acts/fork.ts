import type { Principal } from '../../principal.ts';
import { HOLD_DRIFT } from '../drift/dependencies.ts';
import { resolve } from '../lookup/resolve.ts';
import type { Capability } from '../record/capability.ts';
import { checked, type Registry } from '../trust/signature.ts';
import { create, type NewRecord } from './create.ts';

/** Copies a capability, at the version that is named, into the principal's own scope, to be changed there. */
export async function fork(
  registry: Registry,
  who: Principal,
  source: string,
  name: string,
): Promise<Capability> {
  // What was changed behind the back of PML must not get a good signature by being copied.
  const found = await checked(registry, who, await resolve(registry.db, who, source));
  const { fqdn, version, name: _, ...copied } = found;
  // Without the source's name: whoever reads the history of the copy may not see the source. `forked_from` tells who may.
  const summary = `forked at v${version}`;
  return createNamed(registry, who, { ...copied, name, forkedFrom: fqdn, summary, uses: { fqdn, version } });
}

/** Keeps code under a name of its own, whether or not the same code has another name already. */
export function createNamed(
  { db, keys }: Registry,
  who: Principal,
  made: NewRecord & { name: string },
): Promise<Capability> {
  return db.transaction(async (tx) => {
    await tx.query(`select ${HOLD_DRIFT}`);
    return create(tx, keys, who, made);
  });
}
