import { createTwoFilesPatch } from 'diff';
import type { Principal } from '../../principal.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { Queryable } from '../../store/index.ts';
import { storedText } from '../../stored-texts.ts';
import type { Capability } from '../record/capability.ts';
import { displayCode } from './display-names.ts';

export interface VersionEntry {
  version: number;
  version_tag: string | null;
  updated_by: string;
  updated_at: string;
  change_summary: string;
  /** Unified, against the version before. */
  diff: string;
}

interface Row extends Omit<VersionEntry, 'diff' | 'updated_at'> {
  updated_at: Date;
  /** For a server: where its code is. Null if the history holds too much code to compare. */
  code: string | null;
}

/** Finding the shortest diff with more edits would take seconds: the text is then shown as replaced. */
const MAX_EDITS = 500;
const MAX_VERSIONS = 1000;
/** How many characters of code are compared, the newest first: as many as the two longest programs have. */
const MAX_COMPARED = 512 * 1024;

const VERSIONS = `select version, version_tag, updated_by, updated_at, left(change_summary, 10000) as change_summary,
    case when sum(length(code)) over (order by version desc) <= ${MAX_COMPARED} then code end as code
  from (select v.version, v.version_tag, v.updated_by, v.updated_at, v.change_summary,
      coalesce(p.code_snippet, v.code_url, '') as code
    from capability_versions v left join workflow_pattern p on p.id = v.pattern_id
    where v.capability_fqdn = $1 order by v.version desc limit ${MAX_VERSIONS}) newest
  order by version desc`;

/** Lists the versions of a capability, newest first, each with its diff. */
export async function history(
  db: Queryable,
  who: Principal,
  { fqdn, name, type }: Capability,
): Promise<VersionEntry[]> {
  const { rows } = await db.query<Row>(VERSIONS, [fqdn]);
  const stored = rows.flatMap(({ code }) => (code === null ? [] : [code]));
  const shown =
    type === 'capability' ? await displayCode(db, who, stored) : stored.map((url) => hideSecrets(url));
  const entries: VersionEntry[] = [];
  for (const [index, { code, updated_at, ...row }] of rows.entries()) {
    const before = rows[index + 1];
    const isCompared = code !== null && before?.code !== null;
    const from = before ? `${name}@${before.version}` : '/dev/null';
    const diff = isCompared
      ? unified(from, `${name}@${row.version}`, shown[index + 1] ?? '', shown[index] as string)
      : `(not compared: this history is too long. cap_whois "${name}@${row.version}" shows the code.)`;
    const change_summary = storedText('change_summary', row.change_summary);
    entries.push({ ...row, change_summary, updated_at: updated_at.toISOString(), diff });
    // Comparing long texts takes time, so other work gets a turn after each.
    if (isCompared) await new Promise((resolve) => setImmediate(resolve));
  }
  return entries;
}

function unified(from: string, to: string, before: string, after: string): string {
  const [old, changed] = [withNewline(before), withNewline(after)];
  const patch = createTwoFilesPatch(from, to, old, changed, '', '', { context: 3, maxEditLength: MAX_EDITS });
  return patch?.replace(/^=+\n/, '') ?? replaced(from, to, old, changed);
}

function replaced(from: string, to: string, before: string, after: string): string {
  const [old, changed] = [before, after].map((text) => text.split('\n').slice(0, -1)) as [string[], string[]];
  const lines = [...old.map((line) => `-${line}`), ...changed.map((line) => `+${line}`)];
  return `--- ${from}\n+++ ${to}\n@@ -1,${old.length} +1,${changed.length} @@\n${lines.join('\n')}\n`;
}

/** A missing newline at the end is not a change worth showing. */
function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
