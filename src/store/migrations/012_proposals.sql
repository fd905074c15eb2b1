-- Programs made of tool calls that recurred, each for the principal whose calls they were. Bounded, and without secrets.
create table call_proposals (
  id uuid primary key default gen_random_uuid(),
  org text not null,
  project text not null,
  created_by text not null,
  -- Of the tools, keys and links, without any value: the same calls are one proposal.
  signature text not null check (length(signature) = 64),
  tools text[] not null check (cardinality(tools) <= 8),
  intent text not null check (length(intent) <= 2000),
  code text not null check (length(code) <= 65536),
  -- What the calls did the last time, to replay the program; null if it was too large to keep.
  recording jsonb check (length(recording::text) <= 400000),
  occurrences integer not null check (occurrences >= 3),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- Null if the program could not be replayed; else how it differed, empty if it did not.
  differences text[] check (cardinality(differences) <= 10 and length(array_to_string(differences, '')) <= 10000),
  -- The capability that it became.
  capability_fqdn text references capability_records (id),
  created_at timestamptz not null default now(),
  unique (org, project, created_by, signature)
);
