-- Every name that a record was given after its first, and by whom. Undo goes back along it.
create table capability_rename_history (
  id bigint generated always as identity primary key,
  capability_fqdn text not null references capability_records (id),
  old_name text collate "C" not null,
  new_name text collate "C" not null,
  -- Whether the record had been named before, so that undo can make it unnamed again.
  was_named boolean not null,
  user_id text not null,
  renamed_by text not null check (renamed_by in ('user', 'agent', 'auto')),
  -- The rename that this one takes back.
  undoes bigint,
  renamed_at timestamptz not null default now()
);
create index capability_rename_history_fqdn on capability_rename_history (capability_fqdn, id desc);
create trigger capability_rename_history_append_only before update or delete or truncate on capability_rename_history
  for each statement execute function refuse_change();

-- What each user said of a capability: one row a user, so that nobody can fill the table.
create table capability_feedback (
  capability_fqdn text not null references capability_records (id),
  user_id text not null,
  successes integer not null default 0,
  failures integer not null default 0,
  -- Of the last feedback.
  success boolean not null,
  note text not null default '' check (length(note) <= 2000),
  given_at timestamptz not null default now(),
  primary key (capability_fqdn, user_id)
);
