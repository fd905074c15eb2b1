import { createHash } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { STALE_AT } from '../drift/stale-sql.ts';
import type { Caching } from '../record/caching.ts';
import { type Callable, type Capability, notFound } from '../record/capability.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { foldText, readFold } from '../tables/capability-folds.ts';
import type { Keys, SignatureStatus } from './keys.ts';
import { assertHeadSigned, claimText, HEAD, type Head, type HeadProof, headInvalid } from './record-head.ts';

/** The database, and the keys that sign and verify what is in it. */
export interface Registry {
  readonly db: Db;
  readonly keys: Keys;
}

/** The fields of a version that its signature covers. */
export interface SignedVersion {
  fqdn: string;
  version: number;
  code: string;
  parametersSchema: JsonSchema;
}

/** A capability as it was stored at a moment. */
export interface Verified extends Caching {
  /** Changes with every act on the record. */
  changedAt: string;
  /** The time of the database. */
  readAt: Date;
}

/** The signed text of a version. */
export function signedText({ fqdn, version, code, parametersSchema }: SignedVersion): string {
  const code_hash = createHash('sha256').update(code).digest('hex');
  return canonicalJson({ fqdn, version, code_hash, parameters_schema: parametersSchema });
}

interface Row
  extends Pick<Capability, 'code' | 'parametersSchema' | 'stale'>,
    Pick<Verified, 'changedAt' | 'readAt'>,
    Head,
    HeadProof {
  signature: string | null;
  /** The listed name that belongs to the former name it was found by; null if it was found by its current name. */
  claimListed: string | null;
  claimSignature: string | null;
  /** True if the record points to its newest version, and to that version's code. */
  consistent: boolean;
}

const AS_STORED = `select ${HEAD}, n.listed_name as "claimListed", n.signature as "claimSignature",
    extract(epoch from r.updated_at)::text as "changedAt", now() as "readAt",
    v.signature, p.code_snippet as "code", p.parameters_schema as "parametersSchema",
    (v.version <> r.version or p.id = r.pattern_id) and r.version = (
      select max(n.version) from capability_versions n where n.capability_fqdn = r.id) as "consistent",
    case when v.version = r.version then r.stale else ${STALE_AT} end as "stale"
  from capability_records r
  join capability_versions v on v.capability_fqdn = r.id and v.version = $6
  join workflow_pattern p on p.id = v.pattern_id
  left join capability_names n on n.name = $7 and n.name <> r.display_name and n.org = r.org and n.project = r.project
    and n.fqdn = r.id
  where ${VISIBLE} and r.id = $5`;

/**
 * Reads a capability as it is stored now, and fails if that is not what was signed. Code never runs on the word of the
 * database alone, nor on what was read before.
 */
export async function verifySignature<C extends Callable>(
  { db, keys }: Registry,
  who: Principal,
  capability: C,
): Promise<C & Verified> {
  const { fqdn, version, name, deprecatedAlias = name } = capability;
  const { rows } = await db.query<Row>(AS_STORED, [
    ...principalParameters(who),
    fqdn,
    version,
    deprecatedAlias,
  ]);
  const [row] = rows;
  if (!row) throw notFound(name);
  const { code, parametersSchema, stale, signature, consistent } = row;
  const { cachePolicy, ttl, cacheForced, changedAt, readAt } = row;
  const verdict = await keys.verify(signedText({ fqdn, version, code, parametersSchema }), signature);
  if (verdict !== 'valid') throw untrusted(capability, REASONS[verdict]);
  if (!consistent) throw untrusted(capability, 'its record points to another version than the newest');
  if (row.id !== capability.id) throw headInvalid(name, 'invalid');
  await assertHeadSigned(keys, row);
  await assertNamed(keys, row, deprecatedAlias);
  if (capability.foldedFrom !== undefined) await assertFolded(db, keys, capability.foldedFrom, capability);
  return {
    ...{ ...capability, code, parametersSchema, stale },
    ...{ cachePolicy, ttl, cacheForced, changedAt, readAt },
  };
}

/** Fails if a record was found by a name that nobody gave it. */
async function assertNamed(keys: Keys, row: Row, name: string): Promise<void> {
  if (row.name === name) return;
  const claim = { ...row, name, listedName: row.claimListed ?? '' };
  const verdict = await keys.verify(claimText(claim), row.claimSignature);
  if (verdict !== 'valid') throw headInvalid(name, verdict);
}

/** Fails if a record was found by the FQDN of another that nobody folded into it. */
async function assertFolded(db: Db, keys: Keys, from: string, { fqdn, name }: Callable): Promise<void> {
  const fold = await readFold(db, from);
  const verdict = fold?.kept === fqdn ? await keys.verify(foldText(fold), fold.signature) : 'invalid';
  if (verdict !== 'valid') throw headInvalid(name, verdict);
}

const REASONS: Record<Exclude<SignatureStatus, 'valid'>, string> = {
  invalid: 'its code or parameters are not the ones that were signed, so they were changed outside of PML',
  unsigned: 'it has no signature, so it was not stored by PML',
  'unknown-key': 'it was signed by an instance that is not known here',
};

function untrusted({ name, version }: Callable, reason: string): PmlError {
  return new PmlError('signature_invalid', `"${name}@${version}" does not run: ${reason}.`, {
    hint: 'Look at it with cap_history and cap_whois. cap_update with code that you trust makes a new, signed version.',
  });
}
