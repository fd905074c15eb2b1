import { splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import {
  asking,
  CAPABILITY,
  type Capability,
  FROM_CAPABILITY,
  type Held,
  nameFor,
  notFound,
  type Scope,
} from '../record/capability.ts';
import { parseFqdn, parseUnhashed } from '../record/fqdn.ts';
import { looseName } from '../record/names.ts';
import type { HeadProof } from '../trust/record-head.ts';
import { STATEMENTS, type Way } from './lookup-sql.ts';
import { pinOf, versionNotFound } from './version.ts';

interface Hit extends Capability {
  /** The name it was found by. */
  spelt?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OTHER_SCOPE = /^([\w-]+)\.([\w-]+):(.+)$/;

/** Finds what a name means to a principal, by any spelling. The first way that hits wins. */
export async function resolve(db: Queryable, who: Principal, name: string): Promise<Capability> {
  const found = await find(db, who, name);
  if (!found) throw notFound(name);
  return found;
}

/** As `resolve`, for a name that may be something else than a capability. */
export function find(db: Queryable, who: Principal, given: string): Promise<Capability | undefined> {
  return seek(new Search(db, who, given), who, given);
}

/** As `find`, and nobody else changes the record until the transaction ends. */
export function hold(tx: Queryable, who: Principal, given: string): Promise<(Held & HeadProof) | undefined> {
  return seek(new Search(tx, who, given, true), who, given) as Promise<(Held & HeadProof) | undefined>;
}

async function seek(search: Search, who: Principal, given: string): Promise<Capability | undefined> {
  // PostgreSQL takes no such text, and no name is it.
  if (given.includes('\0')) return undefined;
  const { name, isDotted } = search;
  // `cap:` says that a capability is meant, unless it is the namespace of one.
  const plain = name.replace(/^cap:/, '');
  const ofCap = plain === name ? undefined : await search.inScope(who.org, who.project, name);
  if (ofCap) return ofCap;
  if (parseFqdn(plain)) return search.one('fqdn', [plain]);
  // A name may look like an id, but must not stand before one.
  const byId = UUID.test(plain) ? await search.one('id', [plain]) : undefined;
  if (byId) return byId;
  // No name holds a dot, and all that is written with one does: the other ways need not be tried.
  const found = isDotted
    ? ((await search.inOtherScope(plain)) ?? (await search.unhashed(plain)))
    : ((await search.inScope(who.org, who.project, plain)) ?? (await search.one('public', [plain])));
  return found ?? search.loosely(plain);
}

/** A record that the principal has just made or changed, and may no longer see. */
export async function reread(tx: Queryable, fqdn: string): Promise<Capability> {
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY} where r.id = $1`,
    [fqdn],
  );
  return rows[0] as Capability;
}

/** One principal's search for one name, at the version that follows it. */
class Search {
  readonly name: string;
  readonly #db: Queryable;
  readonly #who: Principal;
  readonly #version: string | undefined;
  readonly #holds: boolean;

  constructor(db: Queryable, who: Principal, given: string, holds = false) {
    this.#db = db;
    this.#who = who;
    this.#holds = holds;
    const { name, version } = splitVersion(given);
    this.name = name;
    this.#version = version === 'latest' ? undefined : version;
  }

  get isDotted(): boolean {
    return this.name.includes('.');
  }

  async inScope(org: string, project: string, name: string): Promise<Capability | undefined> {
    // Every listed name begins so.
    const way = name.startsWith('mcp__') ? 'listed' : 'name';
    const [hit] = await this.#look(way, [org, project, name]);
    if (!hit) return undefined;
    const { spelt, ...capability } = hit;
    if (spelt === undefined || spelt === capability.name) {
      // A name is listed as its record says, which is signed; what the name's own row says is not.
      const isOwn = spelt === undefined || name === spelt || name === capability.listedName;
      return isOwn ? capability : undefined;
    }
    return { ...capability, deprecatedAlias: spelt };
  }

  /** `org.project:ns:action`. */
  async inOtherScope(text: string): Promise<Capability | undefined> {
    const [, org, project, name] = OTHER_SCOPE.exec(text) ?? [];
    return org && project && name ? this.inScope(org, project, name) : undefined;
  }

  async unhashed(text: string): Promise<Capability | undefined> {
    const parts = parseUnhashed(text);
    return parts && this.one('unhashed', [parts.org, parts.project, parts.namespace, parts.action]);
  }

  async loosely(text: string): Promise<Capability | undefined> {
    const loose = looseName(text);
    // Nothing but separators: it would fit every other name that has nothing else either.
    if (loose === '') return undefined;
    const found = await this.#look('loose', [loose]);
    // The stored form only finds them: it is no part of what is signed.
    const rows = found.filter((row) => looseName(row.name) === loose);
    if (rows.length > 1) throw ambiguous(this.#who, text, rows);
    const { spelt, ...capability } = rows[0] ?? {};
    return rows[0] && (capability as Capability);
  }

  async one(way: Way, values: readonly unknown[]): Promise<Capability | undefined> {
    const rows = await this.#look(way, values);
    if (rows.length > 1) throw ambiguous(this.#who, String(values.at(-1)), rows);
    return rows[0];
  }

  async #look(way: Way, values: readonly unknown[]): Promise<Hit[]> {
    const pin = this.#version === undefined ? undefined : pinOf(this.#version);
    const { rows } = await this.#db.query<Hit>(
      STATEMENTS[way][this.#holds ? 'held' : (pin?.kind ?? 'latest')],
      [...asking(this.#who), ...values, ...(pin ? [pin.value] : [])],
    );
    const [hit, other] = rows;
    if (this.#version === undefined || !hit || other) return rows;
    if (!pin || (hit.version as number | null) === null) throw versionNotFound(this.#version, this.name);
    return rows;
  }
}

function ambiguous(who: Scope, name: string, rows: readonly Capability[]): PmlError {
  const names = rows.map((row) => `"${nameFor(who, row)}"`).join(' and ');
  return new PmlError('ambiguous_name', `"${name}" could mean ${names}. Use one of these names.`);
}
