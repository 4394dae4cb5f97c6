-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- The metrics that can be asked for.
CREATE PERFETTO VIEW trace_metrics(
  -- Its name.
  name STRING
);
*/
