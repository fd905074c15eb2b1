-- What a pattern does, however it is written: two patterns of one flow are one procedure. Patterns themselves never change, so
-- this stands beside them; those from before this table are read in the background.
create table pattern_identities (
  pattern_id text primary key references workflow_pattern (id),
  -- Which edition of the reader made this row. A better one reads the pattern again.
  reader integer not null,
  -- The hash of the flow with every argument as a hole; null if the reader does not follow the code.
  flow_hash text,
  -- The argument at each hole, in order.
  holes text[] not null default '{}'
);
create index pattern_identities_flow on pattern_identities (flow_hash) where flow_hash is not null;
create index capability_records_pattern on capability_records (pattern_id);
