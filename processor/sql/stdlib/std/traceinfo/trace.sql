-- What is known of each trace, in one row.

-- `machines` are the systems whose facts it tells.
CREATE PERFETTO TABLE _metadata_by_trace AS
WITH
  traces AS (SELECT DISTINCT trace_id FROM metadata WHERE trace_id IS NOT NULL),
  known AS (
    SELECT
      trace_id,
      max(str_value) FILTER (WHERE name = 'unique_session_name') AS unique_session_name,
      max(str_value) FILTER (WHERE name = 'trace_uuid') AS trace_uuid,
      max(str_value) FILTER (WHERE name = 'trace_type') AS trace_type,
      max(int_value) FILTER (WHERE name = 'trace_size_bytes') AS trace_size_bytes,
      max(str_value) FILTER (WHERE name = 'trace_trigger') AS trace_trigger
    FROM metadata
    WHERE trace_id IS NOT NULL
    GROUP BY trace_id
  ),
  machines AS (
    SELECT trace_id, group_concat(ifnull(sysname, 'Machine ' || id), ', ') AS machines
    FROM (
      SELECT DISTINCT t.trace_id, m.id, m.sysname
      FROM traces AS t
      JOIN metadata AS d USING (trace_id)
      JOIN machine AS m ON m.id = d.machine_id
      ORDER BY t.trace_id, m.id
    )
    GROUP BY trace_id
  )
SELECT
  t.trace_id, k.unique_session_name, k.trace_uuid, k.trace_type, k.trace_size_bytes,
  k.trace_trigger, ifnull(m.machines, '') AS machines
FROM traces AS t
LEFT JOIN known AS k USING (trace_id)
LEFT JOIN machines AS m USING (trace_id)
ORDER BY t.trace_id;
