-- True for a call whose arguments were wrong: nothing ran, so it counts neither as a use nor against its callee.
alter table tool_usage add column refused boolean not null default false;
