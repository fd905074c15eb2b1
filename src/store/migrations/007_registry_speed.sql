-- Identities are compared by their characters everywhere: a column of another collation cannot use the other's index.
drop view capability_aliases;
alter table capability_names alter column fqdn type text collate "C";
alter table capability_versions alter column capability_fqdn type text collate "C";
alter table run_recordings alter column capability_fqdn type text collate "C";
create view capability_aliases as
  select n.name as alias, n.org, n.project, n.fqdn as target_fqdn, n.created_at
  from capability_names n join capability_records r on r.id = n.fqdn
  where n.name <> r.display_name;

-- The column that tells most comes first: where there are no statistics, as in a young database, a planner takes any index
-- that begins with the scope, and reads all of the scope.
alter table capability_names drop constraint capability_names_pkey, add primary key (name, org, project);
alter table capability_names drop constraint capability_names_org_project_listed_name_key,
  add constraint capability_names_listed unique (listed_name, org, project);
drop index capability_names_loose;
create index capability_names_loose on capability_names (loose_name, org, project);

alter table capability_records drop constraint capability_records_org_project_namespace_action_hash_key,
  add constraint capability_records_parts unique (action, namespace, org, project, hash);
drop index capability_records_code_hash;
create index capability_records_code_hash on capability_records (code_hash, org, project);

-- What a principal sees is the sum of four parts: public, its organisation's, its project's, its own. Each is a range of one
-- of these, in the order of the names; a count need not look at the records.
create index capability_records_seen on capability_records (visibility, org, project, display_name)
  include (named, namespace, created_by) where retired_at is null and record_type = 'capability';
create index capability_records_public on capability_records (display_name)
  include (named, namespace, created_by) where visibility = 'public' and retired_at is null and record_type = 'capability';
create index capability_records_own on capability_records (created_by, display_name)
  include (visibility, org, project, named, namespace) where retired_at is null and record_type = 'capability';
create index capability_records_servers on capability_records (display_name, org, project) where record_type = 'mcp-server';

-- Whether any tool has drifted at all: most of the time none has, and then nobody needs to look further.
create index capability_uses_broken on capability_uses (fqdn) where broken is not null;
