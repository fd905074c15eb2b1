import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import type { Queryable } from '../../store/index.ts';
import type { Held } from '../record/capability.ts';
import { parseFqdn } from '../record/fqdn.ts';
import type { Keys, Verdict } from './keys.ts';

/** What a record says of itself, apart from what moves without an act: counters, staleness, where it runs. */
export type Head = Pick<
  Held,
  | ('type' | 'fqdn' | 'id' | 'name' | 'named' | 'listedName' | 'org' | 'project' | 'namespace')
  | ('description' | 'intent' | 'visibility' | 'version' | 'versionTag' | 'codeHash' | 'toolsUsed' | 'tags')
  | 'createdBy'
>;

/** What of a stored head is for its check alone. */
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
  r.created_by as "createdBy", ${HEAD_PROOF}`;

/** The text of a head that is signed. The parts of the identity are in the FQDN. */
function headText(head: Head, retired: boolean): string {
  const { type, fqdn, id, name, named, listedName, description, intent, visibility, createdBy } = head;
  const { version, versionTag, codeHash, toolsUsed, tags } = head;
  const says = {
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
  const words = { description: asKept(description), intent: asKept(intent), tags: tags.map(asKept) };
  return `head ${canonicalJson({ ...says, ...words, toolsUsed: toolsUsed.map(asKept), retired })}`;
}

/** The database has no halves of characters. */
function asKept(text: string): string {
  return text.toWellFormed();
}

export function signHead(keys: Keys, head: Head, retired = false): string {
  return keys.sign(headText(head, retired));
}

/** Fails if a record does not say of itself what was signed. */
export async function assertSigned(keys: Keys, head: Head & HeadProof, tx?: Queryable): Promise<void> {
  const verdict = await judgeHead(keys, head, tx);
  if (verdict !== 'good') throw headInvalid(head.name, verdict);
}

export async function isSigned(keys: Keys, head: Head & HeadProof, tx?: Queryable): Promise<boolean> {
  return (await judgeHead(keys, head, tx)) === 'good';
}

async function judgeHead(keys: Keys, head: Head & HeadProof, tx: Queryable | undefined): Promise<Verdict> {
  const verdict = await keys.judge(headText(head, head.retired), head.headSignature, tx);
  return verdict === 'good' && !repeatsIdentity(head) ? 'bad' : verdict;
}

/** Whether the columns that repeat parts of the identity say what it says. */
function repeatsIdentity(head: Head & HeadProof): boolean {
  const parts = Object.entries(parseFqdn(head.fqdn) ?? {});
  return parts.length > 0 && parts.every(([key, part]) => head[key as 'org'] === part);
}

const REASONS: Record<Exclude<Verdict, 'good'>, string> = {
  bad: 'its name, version, description, visibility or maker is not what was signed, so it was changed behind the back of PML',
  unsigned: 'what it says of itself has no signature, so it was not stored by this version of PML',
  stranger: 'what it says of itself was signed by an instance that is not known here',
};

export function headInvalid(name: string, verdict: Exclude<Verdict, 'good'>): PmlError {
  return new PmlError('signature_invalid', `"${name}" is not used: ${REASONS[verdict]}.`, {
    hint: 'Restore the database from a backup, or make the capability anew. docs/decisions/010-trust.md tells more.',
  });
}

/** A name in a scope, with the name it is listed by, and whose it is. */
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

const SIGN = `update capability_records r set head_signature = s.signature
  from jsonb_to_recordset($1::jsonb) as s(id text, signature text) where r.id = s.id`;

/** Signs heads as they are now. They must be held, and have been found good before they were changed. */
export async function signHeads(tx: Queryable, keys: Keys, fqdns: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Head & HeadProof>(
    `select ${HEAD} from capability_records r where r.id = any($1)`,
    [fqdns],
  );
  const signed = rows.map((head) => ({ id: head.fqdn, signature: signHead(keys, head, head.retired) }));
  await tx.query(SIGN, [JSON.stringify(signed)]);
}
