-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Counts of what was read, lost or wrong.
CREATE PERFETTO VIEW stats(
  -- Number of the row.
  id ID,
  -- Its name.
  name STRING,
  -- The full key.
  key LONG,
  -- Place, where there are several.
  idx LONG,
  -- How bad it is.
  severity STRING,
  -- Who tells.
  source STRING,
  -- Its value.
  value LONG,
  -- What it means.
  description STRING,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The trace, where several were read.
  trace_id LONG
);
*/
