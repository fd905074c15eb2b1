import { createHash } from 'node:crypto';
import { PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Db } from '../store/index.ts';
import { canonical } from './canonical.ts';
import type { Keys, Verdict } from './keys.ts';
import { asking, type Callable, type Capability, type JsonSchema, notFound, VISIBLE } from './record.ts';
import { STALE_AT } from './uses.ts';

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
  return canonical({ fqdn, version, code_hash, parameters_schema: parametersSchema });
}

interface Row extends Pick<Capability, 'code' | 'parametersSchema' | 'stale'> {
  signature: string | null;
  /** The record points to the newest version there is, and to that version's code. */
  consistent: boolean;
}

const AS_STORED = `select v.signature, p.code_snippet as "code", p.parameters_schema as "parametersSchema",
    (v.version <> r.version or p.id = r.pattern_id) and r.version = (
      select max(n.version) from capability_versions n where n.capability_fqdn = r.id) as "consistent",
    case when v.version = r.version then r.stale else ${STALE_AT} end as "stale"
  from capability_records r
  join capability_versions v on v.capability_fqdn = r.id and v.version = $5
  join workflow_pattern p on p.id = v.pattern_id
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
  const { fqdn, version, name } = capability;
  const { rows } = await db.query<Row>(AS_STORED, [...asking(who), fqdn, version]);
  const [row] = rows;
  if (!row) throw notFound(name);
  const { code, parametersSchema, stale, signature, consistent } = row;
  const verdict = await keys.judge(signedText({ fqdn, version, code, parametersSchema }), signature);
  if (verdict !== 'good') throw untrusted(capability, REASONS[verdict]);
  if (!consistent) throw untrusted(capability, 'its record points to another version than the newest');
  return { ...capability, code, parametersSchema, stale };
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
