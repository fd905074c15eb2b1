import type { Principal } from '../../principal.ts';

/** The parameters of every condition below: always $1, $2 and $3. */
export function principalParameters({ org, project, user }: Principal): [string, string, string] {
  return [org, project, user];
}

/** Condition that a principal may see record `r`. Records that it may not see do not exist for it. */
export function maySee(r: string): string {
  return `(${r}.visibility = 'public' or ${r}.created_by = $3 or (${r}.visibility = 'org' and ${r}.org = $1)
    or (${r}.visibility = 'project' and ${r}.org = $1 and ${r}.project = $2))`;
}

export const MAY_SEE = maySee('r');

/** Condition that a principal may see record `r`, and that it is in use. */
export const VISIBLE = `(r.retired_at is null and ${MAY_SEE})`;

/** `maySee` as four conditions that do not overlap, each a range of an index. */
export function visibleRanges(r: string): string[] {
  const shared = [
    `${r}.visibility = 'public'`,
    `${r}.visibility = 'org' and ${r}.org = $1`,
    `${r}.visibility = 'project' and ${r}.org = $1 and ${r}.project = $2`,
  ];
  return [...shared, `${r}.created_by = $3 and not (${shared.join(' or ')})`];
}
