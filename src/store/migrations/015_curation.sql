-- Names that were suggested for capabilities. A decision stays, so that a refused name is not suggested again and the share
-- of accepted ones can be told.
create table curation_suggestions (
  fqdn text collate "C" not null references capability_records (id),
  name text collate "C" not null check (length(name) <= 64),
  -- The version whose code it was made from, and the name that it was to replace.
  version integer not null,
  replaces text collate "C" not null,
  description text not null check (length(description) <= 10000),
  tags text[] not null check (cardinality(tags) <= 50),
  parameter_descriptions jsonb not null check (length(parameter_descriptions::text) <= 65536),
  confidence double precision not null check (confidence between 0 and 1),
  reasoning text not null check (length(reasoning) <= 4000),
  -- `heuristics`, or the model that was asked.
  made_by text not null check (length(made_by) <= 300),
  made_at timestamptz not null default now(),
  -- `accepted` by somebody, `applied` by itself, `edited` if another name was given.
  state text not null default 'open' check (state in ('open', 'accepted', 'applied', 'edited', 'refused', 'outdated')),
  shown_at timestamptz,
  primary key (fqdn, name)
);
create unique index curation_suggestions_open on curation_suggestions (fqdn) where state = 'open';

-- Which process makes suggestions in the background for a principal, so that replicas do not do it twice.
create table curation_claims (
  org text not null,
  project text not null,
  user_id text not null,
  claimed_until timestamptz not null,
  primary key (org, project, user_id)
);

-- Capabilities that were folded into others, with the names that they gave away, so that a restore takes them back.
create table capability_folds (
  fqdn text collate "C" primary key references capability_records (id),
  kept text collate "C" not null references capability_records (id),
  names text[] not null,
  folded_by text not null,
  folded_at timestamptz not null default now(),
  signature text not null
);
create index capability_folds_names on capability_folds using gin (names);
