-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Graphics processors.
CREATE PERFETTO VIEW gpu(
  -- Number of the row.
  id ID,
  -- The graphics processor, of all machines.
  ugpu ID,
  gpu LONG,
  -- Its name.
  name STRING,
  vendor STRING,
  model STRING,
  architecture STRING,
  uuid STRING,
  pci_bdf STRING,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);
*/
