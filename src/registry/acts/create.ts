import { createHash, randomUUID } from 'node:crypto';
import type { Budget } from '../../budget.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { MAX_JSON, storedTags, storedText } from '../../texts.ts';
import { saveUses, type Use, type VersionKey } from '../drift/dependencies.ts';
import { refreshStale } from '../drift/stale.ts';
import { reread } from '../lookup/resolve.ts';
import { announce } from '../record/announce.ts';
import { CAPABILITY, type Capability, type Routing, type Scope } from '../record/capability.ts';
import { buildFqdn, type Fqdn } from '../record/fqdn.ts';
import { assertValidName, listedName, looseName, splitName } from '../record/names.ts';
import type { Keys } from '../trust/keys.ts';
import { signClaim, signHead } from '../trust/record-head.ts';
import { signedText } from '../trust/signature.ts';
import { nameAs } from './claim-name.ts';

/** Code and what it takes, ready to be kept. */
export interface Pattern {
  code: string;
  codeHash: string;
  parametersSchema: JsonSchema;
  toolsUsed: readonly string[];
  /** What the code itself calls by name, and how; or the version that calls the same. */
  uses?: readonly Use[] | VersionKey;
  /** What judging its calls may cost, if many patterns are kept at once. */
  budget?: Budget;
  /** Of what the code calls, in order; none for code whose calls tell nothing. */
  callsHash?: string | undefined;
}

/** A record to be made; without a name it gets one made of its hash. */
export interface NewRecord extends Pattern {
  namespace: string;
  intent: string;
  name?: string | undefined;
  description?: string;
  tags?: readonly string[];
  routing?: Routing;
  forkedFrom?: string;
  summary?: string;
  /** Whose the first version is, if it was made elsewhere. */
  first?: { author: string; madeAt: Date; versionTag: string | null };
}

const MIN_HASH = 4;
/** Of an automatic name. */
const SHORT_HASH = 8;
const LONG_HASH = 56;

/** The record, its first version, and its name, if that is free. Nothing, if the identity is taken. */
const INSERT = `with r as (
    insert into capability_records (id, display_name, named, listed_name, org, project, namespace, action,
      hash, pattern_id, code_hash, created_by, updated_by, description, intent, tools_used, tags, routing, forked_from,
      signature, calls_hash, uid, head_signature)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $15, $16, $17, $18, $19, $22, $26, $27)
    on conflict do nothing returning *
  ), version as (
    insert into capability_versions
      (capability_fqdn, version, pattern_id, updated_by, change_summary, signature, version_tag, updated_at)
    select id, 1, pattern_id, $23, $20, signature, $24, coalesce($25, now()) from r
  ), claim as (
    insert into capability_names (org, project, name, loose_name, listed_name, fqdn, signature)
    select org, project, display_name, $21, listed_name, id, $28 from r on conflict do nothing returning name
  )
  select ${CAPABILITY}, exists (select 1 from claim) as "claimed" from r join workflow_pattern p on p.id = r.pattern_id`;

/** Makes a record of its own with its first version, in the principal's scope. */
export async function create(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  made: NewRecord,
): Promise<Capability> {
  if (made.name !== undefined) assertValidName(made.name);
  const { namespace, action } = made.name
    ? splitName(made.name, made.namespace)
    : { namespace: made.namespace, action: `exec_${made.codeHash.slice(0, 8)}` };
  const at = { org: who.org, project: who.project, namespace, action };
  // That the shortest hash is taken is rare, and told by the insert as well as by a question before it.
  let hash = made.codeHash.slice(0, MIN_HASH);
  for (;;) {
    const created = await insert(tx, keys, who, made, { ...at, hash });
    if (created) return created;
    // It may be taken only now, by another record of the same code and action.
    hash = await freeHash(tx, at, made.codeHash);
  }
}

/** Nothing, if the identity is taken. */
async function insert(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  made: NewRecord,
  at: Fqdn,
): Promise<Capability | undefined> {
  const fqdn = buildFqdn(at);
  const { org, project, namespace, action, hash } = at;
  const name = made.name ?? automaticName(made.codeHash);
  const listed = listedName(name, namespace);
  const { routing = 'cloud', forkedFrom = null } = made;
  const intent = storedText('intent', made.intent);
  const description = storedText('description', made.description ?? intent);
  const tags = storedTags(made.tags ?? []);
  const patternId = patternIdOf(made);
  const signature = keys.sign(signedText({ ...made, fqdn, version: 1 }));
  const isNamed = made.name !== undefined;
  const { author = who.user, madeAt = null, versionTag = null } = made.first ?? {};
  const head = {
    ...{ type: 'capability' as const, fqdn, id: randomUUID(), name, named: isNamed, listedName: listed },
    ...{ org, project, namespace, description, intent, visibility: 'private' as const, version: 1 },
    // The record of a first version has no tag of its own.
    ...{ versionTag: null, codeHash: made.codeHash, toolsUsed: made.toolsUsed, tags, createdBy: who.user },
  };
  const [, { rows }] = await Promise.all([
    savePattern(tx, patternId, made),
    tx.query<Capability & { claimed: boolean }>(INSERT, [
      ...[fqdn, name, isNamed, listed, org, project, namespace, action, hash, patternId, made.codeHash],
      ...[who.user, description, intent, made.toolsUsed, tags, routing, forkedFrom, signature],
      ...[
        storedText('change_summary', made.summary ?? 'created'),
        looseName(name),
        made.callsHash ?? null,
        author,
        versionTag,
        madeAt,
      ],
      ...[head.id, signHead(keys, head), signClaim(keys, head)],
    ]),
    // What is new is private.
    announce(tx, { org, project, visibility: 'private', createdBy: who.user }, isNamed ? 'named' : 'created'),
  ]);
  if (!rows[0]) return undefined;
  const { claimed, ...inserted } = rows[0];
  const created = claimed
    ? inserted
    : await nameAs(tx, keys, inserted, made.name ?? (await freeName(tx, who, made.codeHash)));
  const isStale = await saveUses(tx, { org, project, fqdn, version: 1 }, made.uses ?? [], made.budget);
  if (!isStale) return created;
  await refreshStale(tx, [fqdn]);
  return reread(tx, fqdn);
}

/** The same code that takes the same is the same pattern. */
export function patternIdOf({ code, parametersSchema }: Pattern): string {
  return createHash('sha256')
    .update(`${code}\0${JSON.stringify(parametersSchema)}`)
    .digest('hex');
}

/** Keeps a pattern, once for all who have it. */
export async function savePattern(tx: Queryable, id: string, pattern: Pattern): Promise<void> {
  const schema = JSON.stringify(pattern.parametersSchema);
  if (schema.length > MAX_JSON.parameters_schema)
    throw new PmlError(
      'code_limit',
      `The schema of its parameters has ${schema.length} characters; at most ${MAX_JSON.parameters_schema} are kept.`,
    );
  await tx.query(
    `insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used)
     values ($1, $2, $3, $4::jsonb, $5) on conflict (id) do nothing`,
    [id, pattern.codeHash, pattern.code, schema, pattern.toolsUsed],
  );
}

/** The shortest prefix of the hash that no other record of this name has. */
async function freeHash(tx: Queryable, at: Omit<Fqdn, 'hash'>, codeHash: string): Promise<string> {
  const { rows } = await tx.query<{ hash: string }>(
    'select hash from capability_records where org = $1 and project = $2 and namespace = $3 and action = $4',
    [at.org, at.project, at.namespace, at.action],
  );
  const taken = new Set(rows.map(({ hash }) => hash));
  for (let length = MIN_HASH; length <= codeHash.length; length++) {
    const hash = codeHash.slice(0, length);
    if (!taken.has(hash)) return hash;
  }
  // The same code has had this name more often than its hash is long.
  return createHash('sha256').update(`${codeHash}\0${taken.size}`).digest('hex');
}

/** An automatic name steps aside; only a name that somebody chose is an error. */
export async function freeName(tx: Queryable, scope: Scope, codeHash: string): Promise<string> {
  const shortest = automaticName(codeHash);
  const { rows } = await tx.query<{ name: string }>(
    `select name from capability_names where org = $1 and project = $2 and name between $3 and $4`,
    // To beyond the longest, as characters are ordered.
    [scope.org, scope.project, shortest, `${shortest}~`],
  );
  const taken = new Set(rows.map(({ name }) => name));
  for (let length = SHORT_HASH; ; length++) {
    const name = automaticName(codeHash, length);
    if (!taken.has(name) || length >= LONG_HASH) return name;
  }
}

function automaticName(codeHash: string, length = SHORT_HASH): string {
  return `unnamed_${codeHash.slice(0, length)}`;
}
