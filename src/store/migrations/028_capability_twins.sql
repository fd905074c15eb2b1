-- Pairs of capabilities that did the same in a replay, at these versions. Their owner is asked whether to keep one.
create table capability_twins (
  kept text collate "C" not null references capability_records (id),
  kept_version integer not null,
  twin text collate "C" not null references capability_records (id),
  twin_version integer not null,
  noted_at timestamptz not null default now(),
  primary key (kept, twin)
);
create index capability_twins_twin on capability_twins (twin);
