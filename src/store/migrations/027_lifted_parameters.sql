-- True if the parameters of the code were literals of a run: then more of its literals may become parameters. Null where a
-- person chose the parameters, or nobody knows.
alter table workflow_pattern add column lifted boolean;
