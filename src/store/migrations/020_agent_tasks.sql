-- The to-do lists of agents: one list for each agent and user. Numbers count within a list, so that they tell nothing of others.
create table agent_tasks (
  org text collate "C" not null,
  project text collate "C" not null,
  user_id text collate "C" not null,
  agent text collate "C" not null,
  number integer not null check (number > 0),
  title text not null check (length(title) between 1 and 500),
  details text not null default '' check (length(details) <= 5000),
  status text not null default 'open' check (status in ('open', 'doing', 'done')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org, project, user_id, agent, number)
);

-- Agents search their own past calls, the latest first.
create index tool_usage_agent on tool_usage (org, project, user_id, agent, called_at) where agent is not null;
