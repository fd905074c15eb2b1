import { createHash } from 'node:crypto';
import type { Principal } from '../principal.ts';
import type { Queryable } from '../store/index.ts';
import { announce } from './changes.ts';
import { signedText } from './check.ts';
import { claimName } from './claim.ts';
import { buildFqdn } from './fqdn.ts';
import type { Keys } from './keys.ts';
import { assertValidName, listedName, splitName } from './names.ts';
import type { Capability, JsonSchema, Routing, Scope } from './record.ts';
import { reread } from './resolve.ts';
import { refreshStale } from './stale.ts';
import { saveUses, type Use, type VersionKey } from './uses.ts';

/** Code and what it takes, ready to be kept. */
export interface Pattern {
  code: string;
  codeHash: string;
  parametersSchema: JsonSchema;
  toolsUsed: readonly string[];
  /** What the code itself calls by name, and how; or the version that calls the same. */
  uses?: readonly Use[] | VersionKey;
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

const INSERT = `insert into capability_records (id, display_name, named, listed_name, org, project, namespace, action,
    hash, pattern_id, code_hash, created_by, updated_by, description, intent, tools_used, tags, routing, forked_from,
    signature, calls_hash)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $15, $16, $17, $18, $19, $20)
  on conflict do nothing`;

/** Makes a record of its own with its first version, in the principal's scope. */
export async function create(
  tx: Queryable,
  keys: Keys,
  who: Principal,
  made: NewRecord,
): Promise<Capability> {
  if (made.name !== undefined) assertValidName(made.name);
  const patternId = await savePattern(tx, made);
  const { namespace, action } = made.name
    ? splitName(made.name, made.namespace)
    : { namespace: made.namespace, action: `exec_${made.codeHash.slice(0, 8)}` };
  const at = { org: who.org, project: who.project, namespace, action };
  const name = made.name ?? (await freeName(tx, who, made.codeHash));
  const named = made.name !== undefined;
  const plain = listedName(name, namespace);
  const { description = made.intent, tags = [], routing = 'cloud', forkedFrom = null } = made;
  let fqdn = '';
  let signature = '';
  for (let rowCount = 0; rowCount === 0; ) {
    // Once more, if somebody made another record of the same code and action in this moment: it has that identity.
    const hash = await freeHash(tx, at, made.codeHash);
    fqdn = buildFqdn({ ...at, hash });
    signature = keys.sign(signedText({ ...made, fqdn, version: 1 }));
    ({ rowCount } = await tx.query(INSERT, [
      ...[fqdn, name, named, plain, who.org, who.project, namespace, action, hash, patternId, made.codeHash],
      ...[who.user, description, made.intent, made.toolsUsed, tags, routing, forkedFrom, signature],
      made.callsHash ?? null,
    ]));
  }
  const listed = await claimName(tx, who, name, { fqdn, namespace });
  if (listed !== plain)
    await tx.query('update capability_records set listed_name = $2 where id = $1', [fqdn, listed]);
  await tx.query(
    `insert into capability_versions
       (capability_fqdn, version, pattern_id, updated_by, change_summary, signature, version_tag, updated_at)
     values ($1, 1, $2, $3, $4, $5, $6, coalesce($7, now()))`,
    [
      ...[fqdn, patternId, made.first?.author ?? who.user, made.summary ?? 'created', signature],
      ...[made.first?.versionTag ?? null, made.first?.madeAt ?? null],
    ],
  );
  const isStale = await saveUses(tx, { ...at, fqdn, version: 1 }, made.uses ?? []);
  if (isStale) await refreshStale(tx, [fqdn]);
  if (named) await announce(tx, who, 'named');
  return reread(tx, fqdn);
}

/** Keeps a pattern, once for all who have it. */
export async function savePattern(tx: Queryable, pattern: Pattern): Promise<string> {
  const schema = JSON.stringify(pattern.parametersSchema);
  const id = createHash('sha256').update(`${pattern.code}\0${schema}`).digest('hex');
  await tx.query(
    `insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used)
     values ($1, $2, $3, $4::jsonb, $5) on conflict (id) do nothing`,
    [id, pattern.codeHash, pattern.code, schema, pattern.toolsUsed],
  );
  return id;
}

/** The shortest prefix of the hash that no other record of this name has. */
async function freeHash(
  tx: Queryable,
  at: { org: string; project: string; namespace: string; action: string },
  codeHash: string,
): Promise<string> {
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
  const { rows } = await tx.query<{ name: string }>(
    `select name from capability_names where org = $1 and project = $2 and name like $3`,
    [scope.org, scope.project, `unnamed\\_${codeHash.slice(0, 8)}%`],
  );
  const taken = new Set(rows.map(({ name }) => name));
  for (let length = 8; ; length++) {
    const name = `unnamed_${codeHash.slice(0, length)}`;
    if (!taken.has(name) || length >= 56) return name;
  }
}
