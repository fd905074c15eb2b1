-- A piece of code and what it takes, as it was stored. Never changed: its id is the hash of all of it.
create table workflow_pattern (
  id text primary key,
  -- The hash of the normal form: what makes two pieces of code the same capability.
  code_hash text not null,
  code_snippet text not null,
  parameters_schema jsonb not null,
  tools_used text[] not null default '{}',
  created_at timestamptz not null default now()
);
create index workflow_pattern_code_hash on workflow_pattern (code_hash);

create table capability_records (
  -- The FQDN: org.project.namespace.action.hash. Never changed, never used again.
  id text collate "C" primary key,
  -- What agents are given instead of the FQDN.
  uid uuid not null unique default gen_random_uuid(),
  record_type text not null default 'capability' check (record_type in ('capability', 'mcp-server')),
  -- Names are ordered by their characters alike on every database.
  display_name text collate "C" not null,
  named boolean not null default false,
  -- The name in tools/list; portable and unique in the scope.
  listed_name text collate "C" not null,
  org text not null,
  project text not null,
  namespace text not null,
  action text not null,
  hash text not null,
  pattern_id text references workflow_pattern (id),
  code_hash text,
  code_url text,
  version integer not null default 1,
  version_tag text,
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_by text not null,
  updated_at timestamptz not null default now(),
  description text not null default '',
  intent text not null default '',
  tags text[] not null default '{}',
  visibility text not null default 'private' check (visibility in ('private', 'project', 'org', 'public')),
  tools_used text[] not null default '{}',
  routing text not null default 'cloud' check (routing in ('local', 'cloud')),
  -- Somebody chose the routing; it is no longer inherited from the tools.
  routing_chosen boolean not null default false,
  ttl integer,
  cache_policy text not null default 'none' check (cache_policy in ('none', 'memoize', 'persistent')),
  parent_id text references capability_records (id),
  forked_from text,
  verified boolean not null default false,
  signature text,
  usage_count bigint not null default 0,
  success_count bigint not null default 0,
  total_latency_ms double precision not null default 0,
  retired_at timestamptz,
  -- Until then a retired record keeps its names.
  reserved_until timestamptz,
  unique (org, project, namespace, action, hash)
);
create index capability_records_scope on capability_records (org, project);
create index capability_records_display_name on capability_records (org, project, display_name);
create index capability_records_listed on capability_records (org, project, listed_name) where named and retired_at is null;
create index capability_records_code_hash on capability_records (org, project, code_hash);
create index capability_records_namespace on capability_records (namespace);
create index capability_records_created_by on capability_records (created_by);
create index capability_records_tags on capability_records using gin (tags);
create index capability_records_visibility on capability_records (visibility);

-- Who owns a name in a scope, now or formerly. The primary key settles every race for a name.
create table capability_names (
  org text not null,
  project text not null,
  name text collate "C" not null,
  -- The name without case and separators, as code may spell it.
  loose_name text not null,
  -- The name in tools/list while this was the display name: clients may still hold a list from that time.
  listed_name text collate "C" not null,
  fqdn text not null references capability_records (id),
  created_at timestamptz not null default now(),
  primary key (org, project, name),
  unique (org, project, listed_name)
);
create index capability_names_loose on capability_names (org, project, loose_name);
create index capability_names_fqdn on capability_names (fqdn);

-- Former names. They are names like the others, so they can neither clash nor form chains.
create view capability_aliases as
  select n.name as alias, n.org, n.project, n.fqdn as target_fqdn, n.created_at
  from capability_names n join capability_records r on r.id = n.fqdn
  where n.name <> r.display_name;

create table capability_versions (
  id bigint generated always as identity primary key,
  capability_fqdn text not null references capability_records (id),
  version integer not null,
  version_tag text check (version_tag ~ '^v?[0-9]{1,9}[.][0-9]{1,9}[.][0-9]{1,9}$'),
  -- The tag as numbers, so that it is ordered as versions are, and is one tag with or without its "v".
  tag integer[] generated always as (string_to_array(ltrim(version_tag, 'v'), '.')::integer[]) stored,
  pattern_id text not null references workflow_pattern (id),
  updated_by text not null,
  updated_at timestamptz not null default now(),
  change_summary text not null default '',
  signature text,
  unique (capability_fqdn, version),
  unique (capability_fqdn, tag)
);

-- What was kept is never changed and never goes: pins, signatures and history rest on it.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op);
end $$;
create trigger capability_versions_append_only before update or delete or truncate on capability_versions
  for each statement execute function refuse_change();
create trigger workflow_pattern_append_only before update or delete or truncate on workflow_pattern
  for each statement execute function refuse_change();
create trigger capability_records_identity before delete or truncate or update of id, org, project, namespace, action, hash
  on capability_records for each statement execute function refuse_change();

alter table tool_usage add column fqdn text;
create index tool_usage_fqdn on tool_usage (fqdn, called_at) where fqdn is not null;

-- Servers are records too, without code of their own; their versions say where the code is.
alter table capability_versions alter column pattern_id drop not null;
alter table capability_versions add column code_url text;
with base (name, code_url, description) as (values
  ('filesystem', 'https://www.npmjs.com/package/@modelcontextprotocol/server-filesystem', 'Files and folders'),
  ('shell', 'https://github.com/tumf/mcp-shell-server', 'Shell commands'),
  ('sqlite', 'https://github.com/modelcontextprotocol/servers-archived/tree/main/src/sqlite', 'SQLite databases')
), records as (
  insert into capability_records (id, record_type, display_name, named, listed_name, org, project, namespace, action,
    hash, code_url, created_by, updated_by, description, visibility, routing)
  select 'pml.std.mcp.' || name || '.' || left(md5(name), 4), 'mcp-server', 'mcp:' || name, true, 'mcp__mcp__' || name,
    'pml', 'std', 'mcp', name, left(md5(name), 4), code_url, 'pml', 'pml', description, 'public', 'local'
  from base
), names as (
  insert into capability_names (org, project, name, loose_name, listed_name, fqdn)
  select 'pml', 'std', 'mcp:' || name, 'mcp' || name, 'mcp__mcp__' || name,
    'pml.std.mcp.' || name || '.' || left(md5(name), 4)
  from base
)
insert into capability_versions (capability_fqdn, version, updated_by, change_summary, code_url)
select 'pml.std.mcp.' || name || '.' || left(md5(name), 4), 1, 'pml', 'created', code_url from base;
