SELECT o.name AS "from", i.name AS "to", f.trace_id, (SELECT group_concat(string_value) FROM args a WHERE a.arg_set_id = f.arg_set_id) AS args
FROM flow f JOIN slice o ON f.slice_out = o.id JOIN slice i ON f.slice_in = i.id ORDER BY f.id;
SELECT name, value FROM stats WHERE name LIKE 'flow%' AND value > 0;
