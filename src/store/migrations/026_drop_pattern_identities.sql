-- Procedures are recognised by their code and by replay; nothing is read from the flow of their data any more.
drop table pattern_identities;
