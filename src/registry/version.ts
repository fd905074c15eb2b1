import { PmlError } from '../errors.ts';
import type { Queryable } from '../store/index.ts';
import type { Capability } from './record.ts';
import { STALE_AT } from './uses.ts';

const DAY_MS = 86_400_000;
const TAG = /^v?\d{1,9}\.\d{1,9}\.\d{1,9}$/;

const AT = `select v.version, v.version_tag as "versionTag", p.code_hash as "codeHash", p.code_snippet as "code",
    p.parameters_schema as "parametersSchema", p.tools_used as "toolsUsed", v.code_url as "codeUrl",
    ${STALE_AT} as stale
  from capability_versions v left join workflow_pattern p on p.id = v.pattern_id
  where v.capability_fqdn = $1`;
const BY_TAG = `${AT} and v.tag = $2`;
const BY_DATE = `${AT} and v.updated_at < to_timestamp($2::double precision) order by v.version desc limit 1`;
/** A major number that tags use means the highest of them; any other number counts the versions. */
const BY_NUMBER = `${AT} and (v.tag[1] = $2 or (v.version = $2 and not exists (
    select 1 from capability_versions t where t.capability_fqdn = $1 and t.tag[1] = $2)))
  order by v.tag desc nulls last limit 1`;

/** The capability as it was at a version: `latest`, `v3`, `v1.2.0` or the day `2025-12-22` (in UTC). */
export async function atVersion(
  db: Queryable,
  capability: Capability,
  version: string,
  name: string,
): Promise<Capability> {
  if (version === 'latest') return capability;
  const [sql, value] = conditionOf(version) ?? [];
  const { rows } =
    sql === undefined ? { rows: [] } : await db.query<Partial<Capability>>(sql, [capability.fqdn, value]);
  if (rows[0]) return { ...capability, ...rows[0] };
  throw new PmlError('version_not_found', `Version ${version} not found for ${name}`, {
    hint: 'cap_history lists the versions there are.',
  });
}

function conditionOf(version: string): [sql: string, value: unknown] | undefined {
  if (/^v\d{1,9}$/.test(version)) return [BY_NUMBER, Number(version.slice(1))];
  if (version.startsWith('v') && TAG.test(version)) return [BY_TAG, tagNumbers(version)];
  const end = endOfDay(version);
  return end === undefined ? undefined : [BY_DATE, end / 1000];
}

/** When a day such as `2025-12-22` is over in UTC, in milliseconds; undefined for what is no day. */
export function endOfDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  // `2025-02-30` would be read as a day in March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text)) return undefined;
  return day.getTime() + DAY_MS;
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
