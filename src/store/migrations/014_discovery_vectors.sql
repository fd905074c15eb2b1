-- Stands in for the migration of discovery.
select 1;
