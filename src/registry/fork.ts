import type { Principal } from '../principal.ts';
import type { Db } from '../store/index.ts';
import { create, type NewRecord } from './create.ts';
import type { Capability } from './record.ts';
import { resolve } from './resolve.ts';

/** Copies a capability, at the version that is named, into the principal's own scope, to be changed there. */
export async function fork(db: Db, who: Principal, source: string, name: string): Promise<Capability> {
  return db.transaction(async (tx) => {
    const { fqdn, version, name: from, ...copied } = await resolve(tx, who, source);
    return create(tx, who, { ...copied, name, forkedFrom: fqdn, summary: `forked from ${from}@v${version}` });
  });
}

/** Keeps code under a name of its own, whether or not the same code has another name already. */
export function createNamed(db: Db, who: Principal, made: NewRecord & { name: string }): Promise<Capability> {
  return db.transaction((tx) => create(tx, who, made));
}
