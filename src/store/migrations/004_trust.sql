-- The public keys of the instances that share this database, each added by its owner as it starts.
create table instance_keys (
  id text primary key,
  public_key text not null,
  joined_at timestamptz not null default now()
);
create trigger instance_keys_append_only before update or delete or truncate on instance_keys
  for each statement execute function refuse_change();

-- What runs did, kept so that code can be tried again without doing anything: bounded, and without secrets.
create table run_recordings (
  id uuid primary key default gen_random_uuid(),
  capability_fqdn text not null references capability_records (id),
  version integer not null,
  -- Of the arguments: the same run again teaches nothing new.
  args_hash text not null,
  args jsonb not null,
  -- In the order in which they were made: what was called, with what, and what came back.
  calls jsonb not null,
  result jsonb not null,
  recorded_at timestamptz not null default now(),
  unique (capability_fqdn, version, args_hash)
);
