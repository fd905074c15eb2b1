-- What a server offered when it was last seen, so that its era need not be found out by starting it twice.
create table upstream_memory (
  key text primary key,
  era text not null check (era in ('legacy', 'modern')),
  catalog jsonb not null,
  seen_at timestamptz not null default now()
);
