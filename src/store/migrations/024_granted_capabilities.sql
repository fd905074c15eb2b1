-- The capabilities of a scope that have, or had, one of these names. A function, because the planner takes its cost as small:
-- as a subquery it made every prepared lookup look so expensive that PostgreSQL planned it anew for each call.
create function granted_capabilities(org text, project text, names text[]) returns text[]
  language sql stable cost 1
  return array(select n.fqdn from capability_names n where n.org = $1 and n.project = $2 and n.name = any($3));
