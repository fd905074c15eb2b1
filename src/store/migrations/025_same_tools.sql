-- A hash of a set of tools, whatever their order.
create function hash_of_tools(tools text[]) returns text
  language sql immutable strict parallel safe
  return md5(array(select distinct tool collate "C" from unnest(tools) tool order by 1)::text);

-- Computed by the database, so that no act can forget it.
alter table capability_records add column tools_hash text collate "C" generated always as (hash_of_tools(tools_used)) stored;
-- How often it was called, as a power of two. The count itself changes with each call, and would then write every index of
-- its record; this changes only when the count has doubled.
alter table capability_records add column usage_rank smallint
  generated always as (floor(ln(usage_count + 1) / ln(2) + 1e-9)::smallint) stored;

-- The capabilities of a scope with the same tools: those that are private to a user, and (empty) those that the scope
-- shares, each in the order in which they are wanted, so that a search reads only the first ones, however many there are.
create index capability_records_tools on capability_records
  (tools_hash, org, project, (case when visibility = 'private' then created_by else '' end), usage_rank desc, created_at desc)
  where retired_at is null and record_type = 'capability';

-- The first capabilities with these tools that are private to a user, and the first that the scope shares. The settings
-- leave the planner only the index above, whatever it believes of the table: sorting would mean to read all of them first.
create function capabilities_by_tools(scope_org text, scope_project text, owner text, tools text[], most integer)
  returns setof text language plpgsql stable cost 1 rows 16
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
declare
  wanted constant text := hash_of_tools(tools);
begin
  return query select c.id from capability_records c
    where c.tools_hash = wanted and c.org = scope_org and c.project = scope_project
      and (case when c.visibility = 'private' then c.created_by else '' end) = owner
      and c.retired_at is null and c.record_type = 'capability'
    order by c.usage_rank desc, c.created_at desc limit most;
  return query select c.id from capability_records c
    where c.tools_hash = wanted and c.org = scope_org and c.project = scope_project
      and (case when c.visibility = 'private' then c.created_by else '' end) = ''
      and c.retired_at is null and c.record_type = 'capability'
    order by c.usage_rank desc, c.created_at desc limit most;
end $$;
