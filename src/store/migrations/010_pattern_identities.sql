-- What a pattern does, however it is written: two patterns with a form in common are one procedure. Patterns themselves never
-- change, so this stands beside them; those from before this table are read in the background.
create table pattern_identities (
  pattern_id text not null references workflow_pattern (id),
  -- 0: every argument is data; 1: an argument that overrides a link to an earlier call counts as that link.
  form smallint not null,
  -- Which edition of the reader made this row. A better one reads the pattern again.
  reader integer not null,
  -- The hash of the flow with data as holes; null if the reader does not follow the code.
  flow_hash text,
  -- The argument at each hole, in order.
  holes text[] not null default '{}',
  primary key (pattern_id, form)
);
create index pattern_identities_flow on pattern_identities (flow_hash) where flow_hash is not null;
create index capability_records_pattern on capability_records (pattern_id);
