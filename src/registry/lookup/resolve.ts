import { splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import {
  type Capability,
  type CapabilityRecord,
  nameFor,
  notFound,
  type Scope,
} from '../record/capability.ts';
import { fromShort, looseName } from '../record/capability-name.ts';
import { isFqdn, parseUnhashed } from '../record/fqdn.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters } from '../record/visibility.ts';
import type { HeadProof } from '../trust/record-head.ts';
import { type LookupKind, STATEMENTS } from './lookup-sql.ts';
import { parsePin, versionNotFound, withoutNoOther } from './version.ts';

interface Hit extends Capability {
  /** The name it was found by. */
  matchedName?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OTHER_SCOPE = /^([\w-]+)\.([\w-]+):(.+)$/;

/** Finds the capability that a name means to a principal, by any spelling. The first kind of lookup that hits wins. */
export async function resolve(db: Queryable, who: Principal, name: string): Promise<Capability> {
  const found = await find(db, who, name);
  if (!found) throw notFound(name);
  return found;
}

/** As `resolve`, but undefined if there is none. */
export function find(db: Queryable, who: Principal, spelling: string): Promise<Capability | undefined> {
  return search(new Lookup(db, who, spelling), who, spelling);
}

/** As `find`, but locks the record until the transaction ends. */
export function findForUpdate(
  tx: Queryable,
  who: Principal,
  spelling: string,
): Promise<(CapabilityRecord & HeadProof) | undefined> {
  const found = search(new Lookup(tx, who, spelling, { forUpdate: true }), who, spelling);
  return found as Promise<(CapabilityRecord & HeadProof) | undefined>;
}

async function search(lookup: Lookup, who: Principal, spelling: string): Promise<Capability | undefined> {
  // PostgreSQL rejects text with a NUL, and no name has one.
  if (spelling.includes('\0')) return undefined;
  const { name, isDotted } = lookup;
  // The prefix `cap:` marks a capability, unless it is the namespace of one.
  const plain = name.replace(/^cap:/, '');
  const ofCap = plain === name ? undefined : await lookup.inScope(who.org, who.project, name);
  if (ofCap) return ofCap;
  if (isFqdn(plain)) return (await lookup.one('fqdn', [plain])) ?? lookup.folded(plain);
  // An id wins over a name that looks like it.
  const byId = UUID.test(plain) ? await lookup.one('id', [plain]) : undefined;
  if (byId) return byId;
  // No name holds a dot, and every other spelling does, so half of the lookups need not be tried.
  const found = isDotted
    ? ((await lookup.inOtherScope(plain)) ?? (await lookup.unhashed(plain)))
    : ((await lookup.inScope(who.org, who.project, plain)) ??
      (await lookup.short(plain)) ??
      (await lookup.one('public', [plain])));
  return found ?? lookup.loosely(plain);
}

/** Reads a record without a check of its visibility: the change before it may have hidden it from the principal. */
export async function reread(tx: Queryable, fqdn: string): Promise<Capability> {
  const { rows } = await tx.query<Capability>(
    `select ${CAPABILITY} from ${FROM_CAPABILITY} where r.id = $1`,
    [fqdn],
  );
  return rows[0] as Capability;
}

/** One principal's lookup of one name, at the version pinned after it. */
class Lookup {
  readonly name: string;
  readonly #db: Queryable;
  readonly #who: Principal;
  readonly #version: string | undefined;
  readonly #forUpdate: boolean;

  constructor(db: Queryable, who: Principal, spelling: string, { forUpdate = false } = {}) {
    this.#db = db;
    this.#who = who;
    this.#forUpdate = forUpdate;
    const { name, version } = splitVersion(spelling);
    this.name = name;
    this.#version = version === 'latest' ? undefined : version;
  }

  get isDotted(): boolean {
    return this.name.includes('.');
  }

  async inScope(org: string, project: string, name: string): Promise<Capability | undefined> {
    // Every listed name begins with `mcp__`.
    const kind = name.startsWith('mcp__') ? 'listed' : 'name';
    const [hit] = await this.#query(kind, [org, project, name]);
    if (!hit) return undefined;
    const { matchedName, ...capability } = hit;
    if (matchedName === undefined || matchedName === capability.name) {
      // The record's listed name is signed; the one in the name's own row is not.
      const isOwn = matchedName === undefined || name === matchedName || name === capability.listedName;
      return isOwn ? capability : undefined;
    }
    return { ...capability, deprecatedAlias: matchedName };
  }

  /** `ns__action`. */
  async short(name: string): Promise<Capability | undefined> {
    const listed = fromShort(name);
    return listed === undefined ? undefined : this.inScope(this.#who.org, this.#who.project, listed);
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

  /** A folded capability had versions of its own, so its FQDN without one means the capability that is kept. */
  async folded(fqdn: string): Promise<Capability | undefined> {
    if (this.#version !== undefined || this.#forUpdate) return undefined;
    const kept = await this.one('folded', [fqdn]);
    return kept && { ...kept, foldedFrom: fqdn };
  }

  async loosely(text: string): Promise<Capability | undefined> {
    const loose = looseName(text);
    // Nothing but separators: it would match every other name of that kind.
    if (loose === '') return undefined;
    const found = await this.#query('loose', [loose]);
    // The stored form is not signed, so it only finds candidates.
    const rows = found.filter((row) => looseName(row.name) === loose);
    if (rows.length > 1) throw ambiguous(this.#who, text, rows);
    const { matchedName, ...capability } = rows[0] ?? {};
    return rows[0] && (capability as Capability);
  }

  async one(kind: LookupKind, values: readonly unknown[]): Promise<Capability | undefined> {
    const rows = await this.#query(kind, values);
    if (rows.length > 1) throw ambiguous(this.#who, String(values.at(-1)), rows);
    return rows[0];
  }

  async #query(kind: LookupKind, values: readonly unknown[]): Promise<Hit[]> {
    const pin = this.#version === undefined ? undefined : parsePin(this.#version);
    const { rows } = await this.#db.query<Hit>(
      STATEMENTS[kind][this.#forUpdate ? 'locked' : (pin?.kind ?? 'latest')],
      [...principalParameters(this.#who), ...values, ...(pin ? [pin.value] : [])],
    );
    const [hit, other] = rows;
    if (this.#version === undefined || !hit || other) return rows;
    if (!pin || (hit.version as number | null) === null)
      throw await versionNotFound(this.#db, hit.fqdn, { version: this.#version, name: this.name });
    return [withoutNoOther(hit)];
  }
}

function ambiguous(who: Scope, name: string, rows: readonly Capability[]): PmlError {
  const names = rows.map((row) => `"${nameFor(who, row)}"`).join(' and ');
  return new PmlError('ambiguous_name', `"${name}" could mean ${names}. Use one of these names.`);
}
