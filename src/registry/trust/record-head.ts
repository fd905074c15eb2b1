import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import type { Queryable } from '../../store/index.ts';
import type { CapabilityRecord } from '../record/capability.ts';
import { parseFqdn } from '../record/fqdn.ts';
import { CACHING } from '../record/record-sql.ts';
import { signRecords } from '../tables/capability-records.ts';
import type { Keys, SignatureStatus } from './keys.ts';

/** The signed fields of a record: all but those that change without an act, such as counters, staleness and routing. */
export type Head = Pick<
  CapabilityRecord,
  | ('type' | 'fqdn' | 'id' | 'name' | 'named' | 'listedName' | 'org' | 'project' | 'namespace')
  | ('description' | 'intent' | 'visibility' | 'version' | 'versionTag' | 'codeHash' | 'toolsUsed' | 'tags')
  | ('createdBy' | 'cachePolicy' | 'ttl' | 'cacheForced')
>;

/** The fields of a stored head that only its check needs. */
export interface HeadProof {
  action: string;
  hash: string;
  retired: boolean;
  headSignature: string | null;
}

/** The columns of a `HeadProof`; `r` is the record. */
export const HEAD_PROOF = `r.action, r.hash, r.retired_at is not null as "retired", r.head_signature as "headSignature"`;

/** The columns of a head; `r` is the record. */
export const HEAD = `r.record_type as "type", r.id as "fqdn", r.uid::text as "id", r.display_name as "name", r.named,
  r.listed_name as "listedName", r.org, r.project, r.namespace, r.description, r.intent, r.visibility, r.version,
  r.version_tag as "versionTag", r.code_hash as "codeHash", r.tools_used as "toolsUsed", r.tags,
  r.created_by as "createdBy", ${CACHING}, ${HEAD_PROOF}`;

/** The signed text of a head. Its FQDN covers the org, project, namespace, action and hash. */
function headText(head: Head, retired: boolean): string {
  const { type, fqdn, id, name, named, listedName, description, intent, visibility, createdBy } = head;
  const { version, versionTag, codeHash, toolsUsed, tags } = head;
  const fields = {
    type,
    fqdn,
    id,
    name,
    named,
    listedName,
    visibility,
    createdBy,
    version,
    versionTag,
    codeHash,
  };
  const texts = { description: asStored(description), intent: asStored(intent), tags: tags.map(asStored) };
  const signed = { ...fields, ...texts, toolsUsed: toolsUsed.map(asStored), retired, ...cachingText(head) };
  return `head ${canonicalJson(signed)}`;
}

/** Left out where nothing is cached, so that the signatures of earlier versions stay valid. */
function cachingText({ cachePolicy, ttl, cacheForced }: Head) {
  return cachePolicy === 'none' && ttl === null && !cacheForced ? {} : { cachePolicy, ttl, cacheForced };
}

/** The database stores no lone surrogates. */
function asStored(text: string): string {
  return text.toWellFormed();
}

export function signHead(keys: Keys, head: Head, retired = false): string {
  return keys.sign(headText(head, retired));
}

/** Fails if the head of a record is not what was signed. */
export async function assertHeadSigned(keys: Keys, head: Head & HeadProof, tx?: Queryable): Promise<void> {
  const verdict = await verifyHead(keys, head, tx);
  if (verdict !== 'valid') throw headInvalid(head.name, verdict);
}

export async function isHeadSigned(keys: Keys, head: Head & HeadProof, tx?: Queryable): Promise<boolean> {
  return (await verifyHead(keys, head, tx)) === 'valid';
}

async function verifyHead(
  keys: Keys,
  head: Head & HeadProof,
  tx: Queryable | undefined,
): Promise<SignatureStatus> {
  const verdict = await keys.verify(headText(head, head.retired), head.headSignature, tx);
  return verdict === 'valid' && !repeatsIdentity(head) ? 'invalid' : verdict;
}

/** True if the columns that repeat parts of the FQDN agree with it. */
function repeatsIdentity(head: Head & HeadProof): boolean {
  const parts = Object.entries(parseFqdn(head.fqdn) ?? {});
  return parts.length > 0 && parts.every(([key, part]) => head[key as 'org'] === part);
}

const REASONS: Record<Exclude<SignatureStatus, 'valid'>, string> = {
  invalid:
    'its name, version, description, visibility, caching or maker is not what was signed, so it was changed outside of PML',
  unsigned: 'its record has no signature, so it was not stored by this version of PML',
  'unknown-key': 'its record was signed by an instance that is not known here',
};

export function headInvalid(name: string, verdict: Exclude<SignatureStatus, 'valid'>): PmlError {
  return new PmlError('signature_invalid', `"${name}" is not used: ${REASONS[verdict]}.`, {
    hint: 'Restore the database from a backup, or make the capability anew. docs/decisions/010-trust.md tells more.',
  });
}

/** The signed fields of a name in a scope: whose it is, and how it is listed. */
export interface Claim {
  org: string;
  project: string;
  name: string;
  listedName: string;
  fqdn: string;
}

export function claimText({ org, project, name, listedName, fqdn }: Claim): string {
  return `name ${canonicalJson({ org, project, name, listedName, fqdn })}`;
}

export function signClaim(keys: Keys, claim: Claim): string {
  return keys.sign(claimText(claim));
}

export async function readHead(tx: Queryable, fqdn: string): Promise<Head & HeadProof> {
  const { rows } = await tx.query<Head & HeadProof>(
    `select ${HEAD} from capability_records r where r.id = $1`,
    [fqdn],
  );
  return rows[0] as Head & HeadProof;
}

/** Signs heads as they are now. They must be locked, and have been verified before they were changed. */
export async function signHeads(tx: Queryable, keys: Keys, fqdns: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Head & HeadProof>(
    `select ${HEAD} from capability_records r where r.id = any($1)`,
    [fqdns],
  );
  const signed = rows.map((head) => ({ id: head.fqdn, signature: signHead(keys, head, head.retired) }));
  await signRecords(tx, signed);
}
