-- What kind of machine a trace is of.
CREATE PERFETTO FUNCTION _is_linux_machine(machine_id JOINID(machine.id))
RETURNS BOOL AS
SELECT
  coalesce(
    (SELECT sysname = 'Linux' FROM machine WHERE id = $machine_id),
    extract_metadata('system_name') = 'Linux',
    0
  );
