-- The metadata of the machine and trace that a reader means when naming neither.

CREATE PERFETTO TABLE _metadata_for_primary_scope AS
SELECT m.name, m.str_value, m.int_value, m.key_type
FROM metadata AS m
WHERE coalesce(m.machine_id, 0) = 0
  AND (m.trace_id IS NULL OR m.trace_id = (SELECT min(trace_id) FROM metadata))
ORDER BY m.name, m.id;
