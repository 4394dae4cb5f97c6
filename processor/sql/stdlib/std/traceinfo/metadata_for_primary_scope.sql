-- The metadata of the machine and trace that a reader means when naming neither.

-- One row for each name: the first value.
CREATE PERFETTO TABLE _metadata_for_primary_scope AS
WITH firsts AS (
  SELECT m.name, min(m.id) AS id
  FROM metadata AS m
  WHERE coalesce(m.machine_id, 0) = 0
    AND (m.trace_id IS NULL OR m.trace_id = (SELECT min(trace_id) FROM metadata))
  GROUP BY m.name
)
SELECT m.name, m.str_value, m.int_value, m.key_type
FROM firsts AS f JOIN metadata AS m USING (id)
ORDER BY m.name;
