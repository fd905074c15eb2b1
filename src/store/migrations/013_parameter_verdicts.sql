-- Whether the values of a tool's parameter are data or programs, where only the shape of its first values told. The first
-- verdict stays, so that every replica judges the parameter's later values alike.
create table parameter_verdicts (
  org text not null,
  project text not null,
  tool text not null check (length(tool) <= 400),
  path text not null check (length(path) <= 200),
  kind text not null check (kind in ('data', 'program')),
  rule text not null check (length(rule) <= 100),
  judged_at timestamptz not null default now(),
  primary key (org, project, tool, path)
);
