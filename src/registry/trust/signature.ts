import { createHash } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { STALE_AT } from '../drift/dependencies.ts';
import { asking, type Callable, type Capability, notFound, VISIBLE } from '../record/capability.ts';
import type { Keys, Verdict } from './keys.ts';
import { assertSigned, claimText, HEAD, type Head, type HeadProof, headInvalid } from './record-head.ts';

/** The registry as those need it who sign, or look whether something is signed. */
export interface Registry {
  readonly db: Db;
  readonly keys: Keys;
}

/** What a version's signature holds together. */
export interface Signed {
  fqdn: string;
  version: number;
  code: string;
  parametersSchema: JsonSchema;
}

/** The text that is signed. */
export function signedText({ fqdn, version, code, parametersSchema }: Signed): string {
  const code_hash = createHash('sha256').update(code).digest('hex');
  return canonicalJson({ fqdn, version, code_hash, parameters_schema: parametersSchema });
}

interface Row extends Pick<Capability, 'code' | 'parametersSchema' | 'stale'>, Head, HeadProof {
  signature: string | null;
  /** Of the name by which it was found, where that is a former one. */
  claimListed: string | null;
  claimSignature: string | null;
  /** The record points to the newest version there is, and to that version's code. */
  consistent: boolean;
}

const AS_STORED = `select ${HEAD}, n.listed_name as "claimListed", n.signature as "claimSignature",
    v.signature, p.code_snippet as "code", p.parameters_schema as "parametersSchema",
    (v.version <> r.version or p.id = r.pattern_id) and r.version = (
      select max(n.version) from capability_versions n where n.capability_fqdn = r.id) as "consistent",
    case when v.version = r.version then r.stale else ${STALE_AT} end as "stale"
  from capability_records r
  join capability_versions v on v.capability_fqdn = r.id and v.version = $5
  join workflow_pattern p on p.id = v.pattern_id
  left join capability_names n on n.name = $6 and n.name <> r.display_name and n.org = r.org and n.project = r.project
    and n.fqdn = r.id
  where ${VISIBLE} and r.id = $4`;

/**
 * The capability as it is stored at this moment. Fails if that is not what was signed: code is never run on the word of
 * the database alone, nor on what was read of it before.
 */
export async function checked<C extends Callable>(
  { db, keys }: Registry,
  who: Principal,
  capability: C,
): Promise<C> {
  const { fqdn, version, name, deprecatedAlias = name } = capability;
  const { rows } = await db.query<Row>(AS_STORED, [...asking(who), fqdn, version, deprecatedAlias]);
  const [row] = rows;
  if (!row) throw notFound(name);
  const { code, parametersSchema, stale, signature, consistent } = row;
  const verdict = await keys.judge(signedText({ fqdn, version, code, parametersSchema }), signature);
  if (verdict !== 'good') throw untrusted(capability, REASONS[verdict]);
  if (!consistent) throw untrusted(capability, 'its record points to another version than the newest');
  if (row.id !== capability.id) throw headInvalid(name, 'bad');
  await assertSigned(keys, row);
  await assertNamed(keys, row, deprecatedAlias);
  return { ...capability, code, parametersSchema, stale };
}

/** Fails if a record was found by a name that nobody has given to it. */
async function assertNamed(keys: Keys, row: Row, name: string): Promise<void> {
  if (row.name === name) return;
  const claim = { ...row, name, listedName: row.claimListed ?? '' };
  const verdict = await keys.judge(claimText(claim), row.claimSignature);
  if (verdict !== 'good') throw headInvalid(name, verdict);
}

const REASONS: Record<Exclude<Verdict, 'good'>, string> = {
  bad: 'its code or parameters are not the ones that were signed, so they were changed behind the back of PML',
  unsigned: 'it has no signature, so it was not stored by PML',
  stranger: 'it was signed by an instance that is not known here',
};

function untrusted({ name, version }: Callable, reason: string): PmlError {
  return new PmlError('signature_invalid', `"${name}" v${version} does not run: ${reason}.`, {
    hint: 'Look at it with cap_history and cap_whois. cap_update with code that you trust makes a new, signed version.',
  });
}
