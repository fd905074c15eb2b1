/** Begins the reason of a capability that is stale because of one it calls. */
export const INHERITED = 'through a capability that it calls: ';

/** `inheritedReason` in SQL. */
const inherited = (reason: string) =>
  `case when ${reason} like '${INHERITED}%' then ${reason} else '${INHERITED}' || ${reason} end`;

const OWN = `string_agg(u.broken, '; ' order by u.callee) filter (where u.broken is not null)`;

/** Selects why version `v` is stale: by its own calls, else by those of a capability that it calls. */
export const STALE_AT = `(select left(coalesce(${OWN}, min(${inherited('c.stale')})), 1000)
  from capability_uses u left join capability_records c on c.id = u.callee
  where u.fqdn = v.capability_fqdn and u.version = v.version)`;
