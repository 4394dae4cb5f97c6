-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- What is known of the trace, the machines and the recorder: keys and values.
CREATE PERFETTO VIEW metadata(
  -- Number of the row.
  id ID,
  -- Its name.
  name STRING,
  -- Whether it stands once or often.
  key_type STRING,
  -- Value, if it is a whole number.
  int_value LONG,
  -- Value, if it is a text.
  str_value STRING,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The trace, where several were read.
  trace_id LONG
);
*/
