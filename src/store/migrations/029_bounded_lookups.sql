-- The capabilities of a scope with the same code, and those that make the same calls, found as in 025: those that are private to
-- a user, and (empty) those that the scope shares, each in the order in which they are wanted. The settings leave the planner
-- only the index that has this order. Without them it took any index that begins with the scope, and read all of the scope, while
-- statistics were older than the growth of the table.
drop index capability_records_code_hash;
create index capability_records_code_hash on capability_records
  (code_hash, org, project, (case when visibility = 'private' then created_by else '' end), created_at)
  where retired_at is null and record_type = 'capability';

create function capabilities_by_code(scope_org text, scope_project text, owner text, code text, most integer)
  returns setof text language plpgsql stable cost 1 rows 16
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
declare
  part text;
begin
  foreach part in array array[owner, ''] loop
    return query select c.id from capability_records c
      where c.code_hash = code and c.org = scope_org and c.project = scope_project
        and (case when c.visibility = 'private' then c.created_by else '' end) = part
        and c.retired_at is null and c.record_type = 'capability'
      order by c.created_at limit most;
  end loop;
end $$;

drop index capability_records_calls;
create index capability_records_calls on capability_records
  (calls_hash, org, project, (case when visibility = 'private' then created_by else '' end), named desc, usage_rank desc, created_at desc)
  where retired_at is null and record_type = 'capability' and calls_hash is not null;

create function capabilities_by_calls(scope_org text, scope_project text, owner text, calls text, most integer)
  returns setof text language plpgsql stable cost 1 rows 16
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
declare
  part text;
begin
  foreach part in array array[owner, ''] loop
    return query select c.id from capability_records c
      where c.calls_hash = calls and c.org = scope_org and c.project = scope_project
        and (case when c.visibility = 'private' then c.created_by else '' end) = part
        and c.retired_at is null and c.record_type = 'capability'
      order by c.named desc, c.usage_rank desc, c.created_at desc limit most;
  end loop;
end $$;
