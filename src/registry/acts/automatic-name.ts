import { createHash } from 'node:crypto';
import type { Queryable } from '../../store/index.ts';
import type { Scope } from '../record/capability.ts';
import type { Fqdn } from '../record/fqdn.ts';

/** The length of the hash in an FQDN, unless it is taken. */
export const MIN_HASH = 4;
/** The length of the hash in an automatic name, unless it is taken. */
const SHORT_HASH = 8;
const LONG_HASH = 56;

export function automaticName(codeHash: string, length = SHORT_HASH): string {
  return `unnamed_${codeHash.slice(0, length)}`;
}

/** Finds an automatic name that is free: unlike a chosen name, it steps aside for others. */
export async function freeName(tx: Queryable, scope: Scope, codeHash: string): Promise<string> {
  const shortest = automaticName(codeHash);
  const { rows } = await tx.query<{ name: string }>(
    `select name from capability_names where org = $1 and project = $2 and name between $3 and $4`,
    // `~` sorts after every character of a hash, so the range holds all longer names.
    [scope.org, scope.project, shortest, `${shortest}~`],
  );
  const taken = new Set(rows.map(({ name }) => name));
  for (let length = SHORT_HASH; ; length++) {
    const name = automaticName(codeHash, length);
    if (!taken.has(name) || length >= LONG_HASH) return name;
  }
}

/** Finds the shortest prefix of the hash that makes the FQDN unique. */
export async function freeHash(tx: Queryable, at: Omit<Fqdn, 'hash'>, codeHash: string): Promise<string> {
  const { rows } = await tx.query<{ hash: string }>(
    'select hash from capability_records where org = $1 and project = $2 and namespace = $3 and action = $4',
    [at.org, at.project, at.namespace, at.action],
  );
  const taken = new Set(rows.map(({ hash }) => hash));
  for (let length = MIN_HASH; length <= codeHash.length; length++) {
    const hash = codeHash.slice(0, length);
    if (!taken.has(hash)) return hash;
  }
  // Every prefix of the hash is taken.
  return createHash('sha256').update(`${codeHash}\0${taken.size}`).digest('hex');
}
