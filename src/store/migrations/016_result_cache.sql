-- Somebody wants the results of a capability cached although it calls tools that may change something.
alter table capability_records add column cache_forced boolean not null default false;
-- Calls that were answered from the cache. They are no runs, so usage_count and success_count do not have them.
alter table capability_records add column cached_count bigint not null default 0;
alter table tool_usage add column cached boolean not null default false;

-- Results of capabilities whose cache_policy is persistent. The key is the hash of the version, the arguments and the
-- principal. Bounded for each scope; the least recently used go first.
create table cached_results (
  key text primary key check (length(key) = 64),
  org text not null,
  project text not null,
  -- JSON as text: jsonb holds no NUL character.
  result text not null check (octet_length(result) <= 524288),
  -- What the run called, and in which state: the result holds as long as they are in it.
  dependencies jsonb not null check (pg_column_size(dependencies) <= 262144),
  bytes integer not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz not null,
  signature text not null
);
create index cached_results_scope on cached_results (org, project, used_at);
create index cached_results_expires_at on cached_results (expires_at);
