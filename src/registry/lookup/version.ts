import { PmlError } from '../../errors.ts';
import type { Queryable } from '../../store/index.ts';
import { STALE_AT } from '../drift/dependencies.ts';
import type { Capability } from '../record/capability.ts';

const DAY_MS = 86_400_000;
const TAG = /^v?\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** The ways to mean a version: which rows `v` of a capability's versions fit the parameter, the best one first. */
export const PINS = {
  tag: (fqdn: string, value: string) => `v.capability_fqdn = ${fqdn} and v.tag = ${value}`,
  date: (fqdn: string, value: string) =>
    `v.capability_fqdn = ${fqdn} and v.updated_at < to_timestamp(${value}::double precision) order by v.version desc`,
  /** A major number that tags use means the highest of them; any other number counts the versions. */
  number: (
    fqdn: string,
    value: string,
  ) => `v.capability_fqdn = ${fqdn} and (v.tag[1] = ${value} or (v.version = ${value}
      and not exists (select 1 from capability_versions t where t.capability_fqdn = ${fqdn} and t.tag[1] = ${value})))
    order by v.tag desc nulls last`,
} as const;

export interface Pin {
  kind: keyof typeof PINS;
  value: unknown;
}

/**
 * What a version says over what its record says; `v` is the version and `p` its pattern. Where no tool has drifted at all,
 * which one index tells, no version is asked for its own calls: that is a fifth of the time of a lookup.
 */
export const VERSION = `v.version, v.version_tag as "versionTag", p.code_hash as "codeHash", p.code_snippet as "code",
  p.parameters_schema as "parametersSchema", p.tools_used as "toolsUsed", v.code_url as "codeUrl",
  case when exists (select 1 from capability_uses where broken is not null) then ${STALE_AT} end as stale`;

/** What `v3`, `v1.2.0` or the day `2025-12-22` (in UTC) asks for; nothing, if it is none of these. */
export function pinOf(version: string): Pin | undefined {
  if (/^v\d{1,9}$/.test(version)) return { kind: 'number', value: Number(version.slice(1)) };
  if (version.startsWith('v') && TAG.test(version)) return { kind: 'tag', value: tagNumbers(version) };
  const end = endOfDay(version);
  return end === undefined ? undefined : { kind: 'date', value: end / 1000 };
}

/** When a day such as `2025-12-22` is over in UTC, in milliseconds; undefined for what is no day. */
export function endOfDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  // `2025-02-30` would be read as a day in March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) return undefined;
  return day.getTime() + DAY_MS;
}

/** The record of a server as it was at a version. */
export async function atVersion(
  db: Queryable,
  server: Capability,
  version: string,
  name: string,
): Promise<Capability> {
  if (version === 'latest') return server;
  const pin = pinOf(version);
  if (!pin) throw versionNotFound(version, name);
  const { rows } = await db.query<Partial<Capability>>(
    `select ${VERSION} from capability_versions v left join workflow_pattern p on p.id = v.pattern_id
     where ${PINS[pin.kind]('$1', '$2')} limit 1`,
    [server.fqdn, pin.value],
  );
  if (!rows[0]) throw versionNotFound(version, name);
  return { ...server, ...rows[0] };
}

export function versionNotFound(version: string, name: string): PmlError {
  return new PmlError('version_not_found', `Version ${version} not found for ${name}`, {
    hint: 'cap_history lists the versions there are.',
  });
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

export function assertValidTag(tag: string): void {
  if (isTag(tag)) return;
  throw new PmlError('bad_request', `Invalid version tag: "${tag}". Must be three numbers, as in v1.2.0.`);
}

/** A tag as its three numbers: with and without its `v` it is one tag. */
export function tagNumbers(tag: string): number[] {
  return tag.replace(/^v/, '').split('.').map(Number);
}
