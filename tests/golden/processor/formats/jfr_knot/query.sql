-- JFR: a value that refers to itself in many fields is read in no time, and has no name.
SELECT s.ts, s.name, s.category, key, display_value FROM slice s JOIN args USING (arg_set_id) ORDER BY key;
SELECT unit, reason, kind, units, count FROM import_account ORDER BY unit, reason, kind;
