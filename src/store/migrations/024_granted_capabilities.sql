-- The capabilities of a scope that have, or had, one of these names. It is a function because PostgreSQL takes its cost for small: if the
-- query stands in a condition, a prepared lookup is taken for so dear without parameters that it is planned anew each time.
create function granted_capabilities(org text, project text, names text[]) returns text[]
  language sql stable cost 1
  return array(select n.fqdn from capability_names n where n.org = $1 and n.project = $2 and n.name = any($3));
