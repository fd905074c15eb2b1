-- The evidence by which capabilities are listed as tools, moved with the rows that count their calls.
alter table capability_records add column last_used_at timestamptz not null default now();
-- The outcomes of its latest calls, oldest first: 1 for a success, 0 for a failure.
alter table capability_records add column recent text not null default '';

-- What the code calls, in order: the same for two that differ only in the text around their calls.
alter table capability_records add column calls_hash text;
create index capability_records_calls on capability_records (org, project, calls_hash) where calls_hash is not null;
