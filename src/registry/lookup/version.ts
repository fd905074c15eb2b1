import { PmlError } from '../../errors.ts';
import type { Queryable } from '../../store/index.ts';
import { STALE_AT } from '../drift/stale-sql.ts';
import type { Callable, Capability } from '../record/capability.ts';

const DAY_MS = 86_400_000;
const TAG = /^v?\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** The kinds of version pins: conditions on the versions `v` of a capability, the best match first. */
export const PINS = {
  tag: (fqdn: string, value: string) => `v.capability_fqdn = ${fqdn} and v.tag = ${value}`,
  date: (fqdn: string, value: string) =>
    `v.capability_fqdn = ${fqdn} and v.updated_at < to_timestamp(${value}::double precision) order by v.version desc`,
  exact: (fqdn: string, value: string) => `v.capability_fqdn = ${fqdn} and v.version = ${value}`,
  /** A major number that tags use means the highest of them; any other number counts the versions. */
  number: (
    fqdn: string,
    value: string,
  ) => `v.capability_fqdn = ${fqdn} and (v.tag[1] = ${value} or (v.version = ${value}
      and not exists (select 1 from capability_versions t where t.capability_fqdn = ${fqdn} and t.tag[1] = ${value})))
    order by v.tag desc nulls last`,
} as const;

/** Selects the version that has the number of a `number` pin, if the pin means another version with other code. */
export function otherNumber(value: string): string {
  return `(select o.version from capability_versions o where o.capability_fqdn = v.capability_fqdn and o.version = ${value}
      and o.version <> v.version and (o.pattern_id, o.code_url) is distinct from (v.pattern_id, v.code_url)) as "otherVersion"`;
}

export interface Pin {
  kind: keyof typeof PINS;
  value: unknown;
}

/**
 * The columns by which a version overrides its record; `v` is the version and `p` its pattern. If no call is broken at
 * all, which one index tells, the calls of the version are not read: that saves a fifth of the time of a lookup.
 */
export const VERSION = `v.version, v.version_tag as "versionTag", p.code_hash as "codeHash", p.code_snippet as "code",
  p.parameters_schema as "parametersSchema", p.tools_used as "toolsUsed", v.code_url as "codeUrl",
  case when exists (select 1 from capability_uses where broken is not null) then ${STALE_AT} end as stale`;

/** Parses `3`, which counts the versions, `v3`, `v1.2.0` or the day `2025-12-22` (in UTC); undefined for anything else. */
export function parsePin(version: string): Pin | undefined {
  if (/^\d{1,9}$/.test(version)) return { kind: 'exact', value: Number(version) };
  if (/^v\d{1,9}$/.test(version)) return { kind: 'number', value: Number(version.slice(1)) };
  if (version.startsWith('v') && TAG.test(version)) return { kind: 'tag', value: tagNumbers(version) };
  const end = endOfDay(version);
  return end === undefined ? undefined : { kind: 'date', value: end / 1000 };
}

/** The end of a day such as `2025-12-22` in UTC, in milliseconds; undefined if the text is no day. */
export function endOfDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  // `Date` reads `2025-02-30` as a day in March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) return undefined;
  return day.getTime() + DAY_MS;
}

/** Reads the record of a server at a version. */
export async function atVersion(
  db: Queryable,
  server: Capability,
  version: string,
  name: string,
): Promise<Capability> {
  if (version === 'latest') return server;
  const pin = parsePin(version);
  if (!pin) throw await versionNotFound(db, server.fqdn, { version, name });
  const other = pin.kind === 'number' ? `, ${otherNumber('$2')}` : '';
  const { rows } = await db.query<Partial<Capability>>(
    `select ${VERSION}${other} from capability_versions v left join workflow_pattern p on p.id = v.pattern_id
     where ${PINS[pin.kind]('$1', '$2')} limit 1`,
    [server.fqdn, pin.value],
  );
  if (!rows[0]) throw await versionNotFound(db, server.fqdn, { version, name });
  return withoutNoOther({ ...server, ...rows[0] });
}

/** Leaves out `otherVersion` if there is none. */
export function withoutNoOther<Found extends Pick<Capability, 'otherVersion'>>(found: Found): Found {
  if (found.otherVersion !== null) return found;
  const { otherVersion, ...rest } = found;
  return rest as Found;
}

/** Warns if a version could have meant another one: `@v1` where the highest tag of major 1 is not version number 1. */
export function versionWarnings({
  name,
  version,
  versionTag,
  otherVersion,
}: Pick<Callable, 'name' | 'version' | 'versionTag' | 'otherVersion'>): string[] {
  if (typeof otherVersion !== 'number') return [];
  return [
    `"${name}@v${otherVersion}" means version ${version} (${versionTag}), the highest tag of major ${otherVersion}. Version number ${otherVersion} is other code: write "${name}@${otherVersion}" to mean it.`,
  ];
}

const MAX_SHOWN = 5;

/** The error for a version that does not exist, with the newest ones that do. */
export async function versionNotFound(
  db: Queryable,
  fqdn: string,
  { version, name }: { version: string; name: string },
): Promise<PmlError> {
  const { rows } = await db.query<{ version: number; tag: string | null }>(
    `select version, version_tag as tag from capability_versions where capability_fqdn = $1
     order by version desc limit ${MAX_SHOWN}`,
    [fqdn],
  );
  const known = rows.map(({ version: number, tag }) => `${name}@${number}${tag ? ` (${tag})` : ''}`);
  const newest = known.length > 0 ? `The newest are ${known.join(', ')}; ` : '';
  return new PmlError('version_not_found', `Version ${version} not found for ${name}`, {
    hint: `${newest}cap_history lists the versions there are.`,
  });
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

export function assertValidTag(tag: string): void {
  if (isTag(tag)) return;
  throw new PmlError('bad_request', `Invalid version tag: "${tag}". Must be three numbers, as in v1.2.0.`);
}

/** The three numbers of a tag, with or without its `v`. */
export function tagNumbers(tag: string): number[] {
  return tag.replace(/^v/, '').split('.').map(Number);
}
