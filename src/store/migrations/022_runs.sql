-- The run that a call belongs to, as the id of the run's own row, and how deep in it the call was made: 0 for the run itself.
-- Null for calls that a client made itself.
alter table tool_usage add column run uuid;
alter table tool_usage add column depth smallint;

-- What the journal does not say of a run of code or of a capability that a client asked for. Bounded, without secrets, and
-- kept for as long as the journal. The ids begin with the time, so old rows are found by them.
create table run_details (
  -- That of the run's row in tool_usage.
  id uuid primary key,
  org text not null,
  project text not null,
  user_id text not null,
  kind text not null check (kind in ('run', 'capability')),
  intent text check (length(intent) <= 2000),
  -- The code: that of a capability's version, or as it was sent.
  fqdn text collate "C",
  version integer,
  code text check (length(code) <= 200000),
  -- JSON as text, since jsonb cannot hold every character that JSON can.
  args text check (length(args) <= 40000),
  result text check (length(result) <= 40000),
  -- The size of the whole result as JSON, if `result` is only a part of it.
  result_bytes bigint,
  logs text check (length(logs) <= 40000),
  error text check (length(error) <= 5000),
  line integer,
  col integer
);

-- What a user does not want to be asked about again for a while: a kind and the ids of the capabilities.
create table inbox_dismissals (
  org text not null,
  project text not null,
  user_id text not null,
  item text collate "C" not null check (length(item) <= 200),
  dismissed_at timestamptz not null default now(),
  primary key (org, project, user_id, item)
);
