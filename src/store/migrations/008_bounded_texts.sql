-- What was kept before texts were bounded. Versions are append-only, so theirs are cut where they are shown.
update capability_records set intent = left(intent, 1999) || '…' where length(intent) > 2000;
update capability_records set description = left(description, 9999) || '…' where length(description) > 10000;
update capability_records set tags = tags[1:50] where cardinality(tags) > 50;
update tool_usage set error = left(error, 999) || '…' where length(error) > 1000;

-- The path of a server's address may hold what only its users may know. The next start writes what of it may be seen.
update capability_records set code_url = substring(code_url from '^https?://[^/?#@]*')
  where record_type = 'mcp-server' and code_url !~ '^https://(www[.]npmjs[.]com|pypi[.]org|github[.]com)/';
alter table capability_versions disable trigger capability_versions_append_only;
update capability_versions set code_url = substring(code_url from '^https?://[^/?#@]*')
  where code_url !~ '^https://(www[.]npmjs[.]com|pypi[.]org|github[.]com)/';
alter table capability_versions enable trigger capability_versions_append_only;

-- Every text is bounded before it is stored; a way that forgot it fails here instead of breaking everyone's lists.
alter table capability_records
  add constraint capability_records_short check (length(intent) <= 2000 and length(description) <= 10000
    and cardinality(tags) <= 50);
alter table tool_usage add constraint tool_usage_short check (length(error) <= 1000 and length(tool) <= 400) not valid;
alter table capability_versions add constraint capability_versions_short check (length(change_summary) <= 2000) not valid;
-- What was seen of servers is seen again at the next start.
delete from upstream_memory;
delete from observed_tools where length(tool) > 400;
alter table observed_tools add constraint observed_tools_short check (length(tool) <= 400);
