SELECT id, ts, name FROM slice ORDER BY id;
