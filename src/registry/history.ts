import { setImmediate as breathe } from 'node:timers/promises';
import { createTwoFilesPatch } from 'diff';
import type { Principal } from '../principal.ts';
import type { Queryable } from '../store/index.ts';
import type { Capability } from './record.ts';
import { showCode } from './show.ts';

export interface VersionEntry {
  version: number;
  version_tag: string | null;
  updated_by: string;
  updated_at: string;
  change_summary: string;
  /** Against the version before, unified. */
  diff: string;
}

interface Row extends Omit<VersionEntry, 'diff' | 'updated_at'> {
  updated_at: Date;
  /** Of a server: where its code is. */
  code: string;
}

/** More edits than these are no longer a change but another text; to look for the shortest way takes their square. */
const MAX_EDITS = 500;

/** All versions of a capability, newest first, each with what it changed in the code. */
export async function history(
  db: Queryable,
  who: Principal,
  { fqdn, name, type }: Capability,
): Promise<VersionEntry[]> {
  const { rows } = await db.query<Row>(
    `select v.version, v.version_tag, v.updated_by, v.updated_at, v.change_summary, coalesce(p.code_snippet, v.code_url, '') as code
     from capability_versions v left join workflow_pattern p on p.id = v.pattern_id
     where v.capability_fqdn = $1 order by v.version desc`,
    [fqdn],
  );
  const stored = rows.map(({ code }) => code);
  const shown = type === 'capability' ? await showCode(db, who, stored) : stored;
  const entries: VersionEntry[] = [];
  for (const [index, { code, updated_at, ...row }] of rows.entries()) {
    const before = rows[index + 1];
    const from = before ? `${name}@v${before.version}` : '/dev/null';
    const diff = unified(from, `${name}@v${row.version}`, shown[index + 1] ?? '', shown[index] as string);
    entries.push({ ...row, updated_at: updated_at.toISOString(), diff });
    // Others are served meanwhile: a history may be long.
    if (before) await breathe();
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

/** Code is a text of lines; whether the last one ends is not a change worth showing. */
function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
