-- Traces of several machines.

-- What a machine is called where there are several: its name, or its number. NULL where there is only one.
CREATE PERFETTO FUNCTION orma_machine_label(
  -- Alias for `machine.id`.
  machine_id LONG
)
RETURNS STRING AS
SELECT coalesce(nullif(name, ''), 'machine ' || raw_id)
FROM machine
WHERE id = $machine_id AND (SELECT count(*) FROM machine) > 1;
