-- What tools demand, without the words around it; kept for as long as a capability or a server has it.
create table tool_schemas (
  hash text primary key,
  schema jsonb not null
);

-- What the servers of a scope offered when they were last seen alive.
create table observed_tools (
  org text not null,
  project text not null,
  server text not null,
  tool text not null,
  schema_hash text not null references tool_schemas (hash),
  primary key (org, project, server, tool)
);
create index observed_tools_schema on observed_tools (schema_hash);

-- What the code of a version calls: tools as `server:tool` with the schema it was written for, capabilities by their FQDN.
create table capability_uses (
  fqdn text collate "C" not null references capability_records (id),
  version integer not null,
  callee text collate "C" not null,
  org text not null,
  project text not null,
  schema_hash text references tool_schemas (hash),
  -- A JSON Schema of the argument of each call.
  passed jsonb not null,
  -- Why the tool, as it was last seen, no longer fits the calls.
  broken text,
  primary key (fqdn, version, callee)
);
create index capability_uses_callee on capability_uses (callee, org, project);
create index capability_uses_schema on capability_uses (schema_hash);

-- Why it no longer fits a tool, of its own or of a capability that it calls.
alter table capability_records add column stale text;
