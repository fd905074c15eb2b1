-- What the results of a version look like: types and names of properties, never values.
create table capability_outputs (
  fqdn text collate "C" not null references capability_records (id),
  version integer not null,
  -- Fits every result so far; null until the first.
  schema jsonb,
  -- How many results there were, and which of them last changed the schema.
  results bigint not null default 0,
  changed_at_result bigint not null default 0,
  -- What clients are told while the schema is stable, and since when.
  declared jsonb,
  stable_since timestamptz,
  primary key (fqdn, version)
);

-- Computations that nobody named: they leave lists before all others, and are counted apart.
create index capability_records_computed on capability_records (org, project)
  where not named and tools_used = '{}' and retired_at is null and record_type = 'capability';

-- Whether the code calls only what it names; null for code of earlier versions, of which this is not known.
alter table workflow_pattern add column names_callees boolean;
