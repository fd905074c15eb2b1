-- What tools and capabilities mean, as vectors of an embedding model. Making one takes milliseconds, so each text is
-- embedded once. The hash is that of the text.
create table discovery_vectors (
  model text not null check (length(model) <= 400),
  hash text not null check (length(hash) <= 64),
  vector bytea not null check (length(vector) <= 8192),
  made_at timestamptz not null default now(),
  primary key (model, hash)
);
