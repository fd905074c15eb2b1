import { createHash } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import { jsonFits } from '../../json-size.ts';
import { type Principal, principalKey } from '../../principal.ts';

/** Calls with larger arguments are not cached. */
const MAX_ARGUMENT_BYTES = 64 * 1024;

/** A version of a capability as it is stored now. */
export interface KeyedVersion {
  fqdn: string;
  version: number;
  code: string;
  /** Changes with every act on the record, so results that were cached before it are never found again. */
  changedAt: string;
}

/**
 * The key of a result: equal for equal arguments of one version, called by one principal. No two users share results, for
 * they may reach other servers, or the same ones with other rights. Undefined if the arguments are too large.
 */
export function cacheKey(
  { fqdn, version, code, changedAt }: KeyedVersion,
  args: unknown,
  who: Principal,
): string | undefined {
  if (!jsonFits(args, MAX_ARGUMENT_BYTES)) return undefined;
  const codeHash = createHash('sha256').update(code).digest('hex');
  return createHash('sha256')
    .update(canonicalJson([fqdn, version, codeHash, changedAt, principalKey(who), args]))
    .digest('hex');
}
