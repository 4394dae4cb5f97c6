SELECT c.ts, t.name, c.value, extract_arg(c.arg_set_id, 'cpu') AS cpu, extract_arg(c.arg_set_id, 'len') AS len, extract_arg(c.arg_set_id, 'protocol') AS protocol
FROM counter c JOIN track t ON c.track_id = t.id ORDER BY c.ts;
SELECT ts, dur, name FROM slice;
