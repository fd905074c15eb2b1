create table tool_usage (
  id uuid primary key,
  server_id text not null,
  tool text not null,
  org text,
  project text,
  user_id text not null,
  agent text,
  success boolean not null,
  duration_ms double precision not null,
  called_at timestamptz not null default now(),
  error text
);

-- Statistics are asked per tool over a span of time, and per scope; retention deletes by time alone.
create index tool_usage_tool on tool_usage (server_id, tool, called_at);
create index tool_usage_scope on tool_usage (org, project, called_at);
create index tool_usage_called_at on tool_usage (called_at);
