import { createHash } from 'node:crypto';
import type { Principal } from '../principal.ts';
import type { Db, Queryable } from '../store/index.ts';
import { announce } from './changes.ts';
import { buildFqdn } from './fqdn.ts';
import { assertValidName, listedName, looseName, splitName } from './names.ts';
import {
  asking,
  CAPABILITY,
  type Capability,
  FROM_CAPABILITY,
  type JsonSchema,
  nameTaken,
  VISIBLE,
} from './record.ts';

/** What a run that succeeded leaves to be remembered. */
export interface Learned {
  code: string;
  codeHash: string;
  parametersSchema: JsonSchema;
  toolsUsed: readonly string[];
  namespace: string;
  intent: string;
  name?: string | undefined;
}

export interface Remembered {
  capability: Capability;
  created: boolean;
  warnings: string[];
}

const MIN_HASH = 4;

/** Fails if this name could not be given in the principal's scope. Asked before code runs, settled when it is saved. */
export async function assertNameFree(db: Queryable, who: Principal, name: string): Promise<void> {
  assertValidName(name);
  const { rows } = await db.query(
    'select 1 from capability_names where org = $1 and project = $2 and name = $3',
    [who.org, who.project, name],
  );
  if (rows.length > 0) throw nameTaken(name, who);
}

/** Finds the capability of this code among those the principal sees, or creates it; all or nothing. */
export async function remember(db: Db, who: Principal, learned: Learned): Promise<Remembered> {
  return db.transaction(async (tx) => {
    // Two runs of the same code that end in the same instant are one capability.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `${who.org}.${who.project}:${learned.codeHash}`,
    ]);
    const known = await sameCode(tx, who, learned.codeHash);
    if (known) return reuse(tx, who, known, learned.name);
    const capability = await create(tx, who, learned);
    return { capability, created: true, warnings: [] };
  });
}

async function sameCode(tx: Queryable, who: Principal, codeHash: string): Promise<Capability | undefined> {
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY}
     where ${VISIBLE} and r.org = $1 and r.project = $2 and r.code_hash = $4
     order by r.created_by = $3 desc, r.created_at limit 1`,
    [...asking(who), codeHash],
  );
  return rows[0];
}

async function reuse(
  tx: Queryable,
  who: Principal,
  known: Capability,
  name: string | undefined,
): Promise<Remembered> {
  if (name === undefined || name === known.name) return { capability: known, created: false, warnings: [] };
  if (known.named || known.createdBy !== who.user) {
    const warning = `This code is already the capability "${known.name}", which keeps its name.`;
    return { capability: known, created: false, warnings: [warning] };
  }
  return { capability: await nameUnnamed(tx, who, known, name), created: false, warnings: [] };
}

/** Naming changes only the display name; the FQDN stays, and so does the former name. */
async function nameUnnamed(
  tx: Queryable,
  who: Principal,
  known: Capability,
  name: string,
): Promise<Capability> {
  await claim(tx, who, name, known.fqdn);
  const listed = listedName(name, known.namespace);
  await tx.query(
    `update capability_records set display_name = $2, listed_name = $3, named = true, updated_by = $4, updated_at = now()
     where id = $1`,
    [known.fqdn, name, listed, who.user],
  );
  await announce(tx, who, 'named');
  return { ...known, name, listedName: listed, named: true };
}

async function create(tx: Queryable, who: Principal, learned: Learned): Promise<Capability> {
  const hash8 = learned.codeHash.slice(0, 8);
  const patternId = await savePattern(tx, learned);
  const named = learned.name !== undefined;
  const { namespace, action } = learned.name
    ? splitName(learned.name, learned.namespace)
    : { namespace: learned.namespace, action: `exec_${hash8}` };
  const hash = await freeHash(
    tx,
    { org: who.org, project: who.project, namespace, action },
    learned.codeHash,
  );
  const fqdn = buildFqdn({ org: who.org, project: who.project, namespace, action, hash });
  const name = learned.name ?? (await freeName(tx, who, `unnamed_${hash8}`, learned.codeHash));
  await tx.query(
    `insert into capability_records (id, display_name, named, listed_name, org, project, namespace, action, hash,
       pattern_id, code_hash, created_by, updated_by, description, intent, tools_used)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $13, $14)`,
    [
      fqdn,
      name,
      named,
      listedName(name, namespace),
      who.org,
      who.project,
      namespace,
      action,
      hash,
      patternId,
      learned.codeHash,
      who.user,
      learned.intent,
      learned.toolsUsed,
    ],
  );
  await claim(tx, who, name, fqdn);
  await tx.query(
    `insert into capability_versions (capability_fqdn, version, pattern_id, updated_by, change_summary)
     values ($1, 1, $2, $3, 'created')`,
    [fqdn, patternId, who.user],
  );
  if (named) await announce(tx, who, 'named');
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY} where r.id = $1`,
    [fqdn],
  );
  return rows[0] as Capability;
}

async function savePattern(tx: Queryable, learned: Learned): Promise<string> {
  const schema = JSON.stringify(learned.parametersSchema);
  const id = createHash('sha256').update(`${learned.code}\0${schema}`).digest('hex');
  await tx.query(
    `insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used)
     values ($1, $2, $3, $4::jsonb, $5) on conflict (id) do nothing`,
    [id, learned.codeHash, learned.code, schema, learned.toolsUsed],
  );
  return id;
}

/** The database decides who owns a name: two claims cannot both win. */
async function claim(tx: Queryable, who: Principal, name: string, fqdn: string): Promise<void> {
  const { rows } = await tx.query<{ fqdn: string }>(
    `insert into capability_names (org, project, name, loose_name, fqdn) values ($1, $2, $3, $4, $5)
     on conflict (org, project, name) do update set fqdn = capability_names.fqdn returning fqdn`,
    [who.org, who.project, name, looseName(name), fqdn],
  );
  if (rows[0]?.fqdn !== fqdn) throw nameTaken(name, who);
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
  let length = MIN_HASH;
  while (taken.has(codeHash.slice(0, length))) length += 1;
  return codeHash.slice(0, length);
}

/** An automatic name steps aside; only a name that somebody chose is an error. */
async function freeName(tx: Queryable, who: Principal, wanted: string, codeHash: string): Promise<string> {
  const { rows } = await tx.query<{ name: string }>(
    `select name from capability_names where org = $1 and project = $2 and name like $3`,
    [who.org, who.project, `${wanted.replaceAll('_', '\\_')}%`],
  );
  const taken = new Set(rows.map(({ name }) => name));
  for (let length = 8; ; length++) {
    const name = `unnamed_${codeHash.slice(0, length)}`;
    if (!taken.has(name) || length >= 56) return name;
  }
}
