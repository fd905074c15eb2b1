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
