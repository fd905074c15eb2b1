import type { Principal } from '../../src/principal.ts';

/** Describes the nth capability of the benchmark; `fill.ts` writes the same in SQL. */
const ORGS = 5;
const PROJECTS = 4;
const USERS = 10;
const NAMESPACES = 40;

const hash8 = (n: number) => n.toString(16).padStart(8, '0').split('').reverse().join('');

/** The owner of the nth capability. */
export function ownerOf(n: number): Principal {
  const scope = n % (ORGS * PROJECTS);
  const user = `user${scope}_${Math.floor(n / (ORGS * PROJECTS)) % USERS}`;
  return { user, org: `org${scope % ORGS}`, project: `p${Math.floor(scope / ORGS)}` };
}

/** Two of three have been named by a user. */
export function isNamed(n: number): boolean {
  return n % 3 !== 0;
}

export function nameOf(n: number): string {
  return isNamed(n) ? `ns${n % NAMESPACES}:act_${n}` : `unnamed_${hash8(n)}`;
}

/** Every tenth has been renamed once. */
export function hasAlias(n: number): boolean {
  return n % 10 === 1;
}

export function aliasOf(n: number): string {
  return `old:name_${n}`;
}

/** Every fourth has three versions: v1.0.0, v1.1.0 and v2.0.0, a month apart. */
export function hasVersions(n: number): boolean {
  return n % 4 === 2;
}

export function fqdnOf(n: number): string {
  const { org, project } = ownerOf(n);
  const action = isNamed(n) ? `act_${n}` : `exec_${hash8(n)}`;
  return `${org}.${project}.ns${n % NAMESPACES}.${action}.${hash8(n).slice(0, 4)}`;
}

/** The same as SQL expressions of a number `n`. */
export const SQL = {
  org: `'org' || n % ${ORGS * PROJECTS} % ${ORGS}`,
  project: `'p' || n % ${ORGS * PROJECTS} / ${ORGS}`,
  user: `'user' || n % ${ORGS * PROJECTS} || '_' || n / ${ORGS * PROJECTS} % ${USERS}`,
  named: 'n % 3 <> 0',
  namespace: `'ns' || n % ${NAMESPACES}`,
  hash8: `reverse(lpad(to_hex(n), 8, '0'))`,
  hasAlias: 'n % 10 = 1',
  alias: `'old:name_' || n`,
  hasVersions: 'n % 4 = 2',
  /** Days of 2025, spread over half a year. */
  born: `timestamptz '2025-01-01 12:00Z' + n % 180 * interval '1 day'`,
  /** One in fifty is public, ten are for the organisation, twenty for the project. */
  visibility: `case when n % 997 % 50 = 0 then 'public' when n % 997 % 50 < 11 then 'org'
    when n % 997 % 50 < 31 then 'project' else 'private' end`,
} as const;

/** How capabilities are spread over scopes and users, as SQL expressions of a number `n`. */
export interface Population extends Record<'org' | 'project' | 'user', string> {
  /** What they call, twice in a row. */
  readonly tool: string;
  /** The hash of these calls; null if they are not compared. */
  readonly callsHash: string | null;
}

export const MANY_USERS: Population = {
  org: SQL.org,
  project: SQL.project,
  user: SQL.user,
  tool: 'fs:read_file',
  callsHash: null,
};

/** A day on which the nth capability was at its second version. */
export function dayOfSecond(n: number): string {
  const born = Date.UTC(2025, 0, 1 + (n % 180) + 45);
  return new Date(born).toISOString().slice(0, 10);
}
