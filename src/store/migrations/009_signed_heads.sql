-- What a record says of itself (its names, its newest version, who made it, who sees it) is signed as its code is, and so is
-- each claim of a name. Records of earlier versions are signed at the next start by the instance that holds the key.
alter table capability_records add column head_signature text;
alter table capability_names add column signature text;
