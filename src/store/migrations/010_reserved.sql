-- Keeps the number until the migration that has it is merged; delete this file then.
select 1;
