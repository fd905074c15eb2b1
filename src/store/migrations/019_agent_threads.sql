-- Conversations of agents. Only the user who began one can read it or go on with it.
create table agent_threads (
  id uuid primary key,
  org text not null,
  project text not null,
  user_id text not null,
  agent text not null check (length(agent) <= 64),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The number of messages and their characters. The number settles which of two runs goes on with a thread.
  messages integer not null default 0,
  characters bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  -- Of the steps whose price was known.
  cost_usd double precision not null default 0
);

create table agent_messages (
  thread_id uuid not null references agent_threads (id),
  position integer not null check (position >= 0),
  role text not null check (role in ('user', 'assistant', 'tool')),
  -- JSON as text, since jsonb cannot hold every character that JSON can.
  content text not null check (length(content) <= 4000000),
  written_at timestamptz not null default now(),
  primary key (thread_id, position)
);
