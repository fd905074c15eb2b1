-- What the results of servers' tools look like, for tools that do not declare it: types and names of properties, never values.
-- A row per user, since the names of properties may be data of the results that this user got.
create table tool_outputs (
  org text collate "C" not null,
  project text collate "C" not null,
  user_id text collate "C" not null,
  server text collate "C" not null,
  tool text collate "C" not null,
  -- A hash of the tool as its server defined it: what is known of another definition is forgotten.
  definition text not null,
  schema jsonb not null,
  learned_at timestamptz not null default now(),
  primary key (org, project, user_id, server, tool)
);
create index tool_outputs_tool on tool_outputs (org, project, server, tool);
