import { splitVersion } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Queryable } from '../store/index.ts';
import { parseFqdn, parseUnhashed } from './fqdn.ts';
import { looseName } from './names.ts';
import {
  asking,
  CAPABILITY,
  type Capability,
  FROM_CAPABILITY,
  nameFor,
  notFound,
  type Scope,
  VISIBLE,
} from './record.ts';
import { atVersion } from './version.ts';

const SELECT = `select ${CAPABILITY} from ${FROM_CAPABILITY} where ${VISIBLE}`;
const BY_NAME = `select ${CAPABILITY}, n.name as "spelt" from capability_names n
  join capability_records r on r.id = n.fqdn join workflow_pattern p on p.id = r.pattern_id
  where ${VISIBLE}`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds what a name means to a principal, by any spelling. The first way that hits wins. */
export async function resolve(db: Queryable, who: Principal, name: string): Promise<Capability> {
  const found = await find(db, who, name);
  if (!found) throw notFound(name);
  return found;
}

/** As `resolve`, for a name that may be something else than a capability. */
export async function find(db: Queryable, who: Principal, given: string): Promise<Capability | undefined> {
  // PostgreSQL takes no such text, and no name is it.
  if (given.includes('\0')) return undefined;
  const { name, version } = splitVersion(given);
  const found = await findLatest(db, who, name);
  return found && version !== undefined ? atVersion(db, found, version, name) : found;
}

/** A record that the principal has just made or changed, and may no longer see. */
export async function reread(tx: Queryable, fqdn: string): Promise<Capability> {
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY} where r.id = $1`,
    [fqdn],
  );
  return rows[0] as Capability;
}

async function findLatest(db: Queryable, who: Principal, given: string): Promise<Capability | undefined> {
  // `cap:` says that a capability is meant, unless it is the namespace of one.
  const name = given.replace(/^cap:/, '');
  const ofCap = name === given ? undefined : await byName(db, who, who, given);
  if (ofCap) return ofCap;
  if (parseFqdn(name)) return one(db, who, 'r.id = $4', [name]);
  // A name may look like an id, but must not stand before one.
  const byId = UUID.test(name) ? await one(db, who, 'r.uid = $4', [name]) : undefined;
  if (byId) return byId;
  return (
    (await byName(db, who, who, name)) ??
    (await inOtherScope(db, who, name)) ??
    (await unhashed(db, who, name)) ??
    (await one(db, who, `r.visibility = 'public' and r.named and r.display_name = $4`, [name])) ??
    loosely(db, who, name)
  );
}

/** A name of a scope, now or formerly, as it is or as it is listed. */
async function byName(
  db: Queryable,
  who: Principal,
  scope: Scope,
  name: string,
): Promise<Capability | undefined> {
  const { rows } = await db.query<Capability & { spelt: string }>(
    `${BY_NAME} and n.org = $4 and n.project = $5 and (n.name = $6 or n.listed_name = $6)
     order by n.name = $6 desc limit 1`,
    [...asking(who), scope.org, scope.project, name],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { spelt, ...capability } = row;
  return spelt === capability.name ? capability : { ...capability, deprecatedAlias: spelt };
}

/** `org.project:ns:action`. */
async function inOtherScope(db: Queryable, who: Principal, name: string): Promise<Capability | undefined> {
  const [, org, project, rest] = /^([\w-]+)\.([\w-]+):(.+)$/.exec(name) ?? [];
  return org && project && rest ? byName(db, who, { org, project }, rest) : undefined;
}

async function unhashed(db: Queryable, who: Principal, name: string): Promise<Capability | undefined> {
  const parts = parseUnhashed(name);
  if (!parts) return undefined;
  const values = [parts.org, parts.project, parts.namespace, parts.action];
  return one(db, who, 'r.org = $4 and r.project = $5 and r.namespace = $6 and r.action = $7', values);
}

async function loosely(db: Queryable, who: Principal, name: string): Promise<Capability | undefined> {
  const loose = looseName(name);
  // Nothing but separators: it would fit every other name that has nothing else either.
  if (loose === '') return undefined;
  const { rows } = await db.query<Capability & { spelt: string }>(
    `${BY_NAME} and n.org = $1 and n.project = $2 and n.loose_name = $4 and n.name = r.display_name limit 2`,
    [...asking(who), loose],
  );
  if (rows.length > 1) throw ambiguous(who, name, rows);
  const { spelt, ...capability } = rows[0] ?? {};
  return spelt === undefined ? undefined : (capability as Capability);
}

async function one(
  db: Queryable,
  who: Principal,
  condition: string,
  values: unknown[],
): Promise<Capability | undefined> {
  const { rows } = await db.query<Capability>(`${SELECT} and ${condition} limit 2`, [
    ...asking(who),
    ...values,
  ]);
  if (rows.length < 2) return rows[0];
  throw ambiguous(who, String(values.at(-1)), rows);
}

function ambiguous(who: Scope, name: string, rows: readonly Capability[]): PmlError {
  const names = rows.map((row) => `"${nameFor(who, row)}"`).join(' and ');
  return new PmlError('ambiguous_name', `"${name}" could mean ${names}. Use one of these names.`);
}
