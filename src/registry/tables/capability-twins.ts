import type { Queryable } from '../../store/index.ts';

interface VersionKey {
  readonly fqdn: string;
  readonly version: number;
}

/** Notes that two capabilities did the same in a replay. */
export async function noteTwins(
  db: Queryable,
  { kept, twin }: { kept: VersionKey; twin: VersionKey },
): Promise<void> {
  await db.query(
    `insert into capability_twins (kept, kept_version, twin, twin_version) values ($1, $2, $3, $4)
     on conflict (kept, twin) do update set kept_version = $2, twin_version = $4, noted_at = now()`,
    [kept.fqdn, kept.version, twin.fqdn, twin.version],
  );
}
