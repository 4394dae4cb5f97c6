SELECT ts, dur, depth, name FROM slice ORDER BY id;
SELECT a.key, a.int_value FROM slice JOIN args a USING (arg_set_id) ORDER BY a.id;
