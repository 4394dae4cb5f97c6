-- Which device a trace comes from.

-- The name of the device in the fingerprint of its software.
CREATE PERFETTO FUNCTION android_device_name_from_fingerprint(
  -- The fingerprint: maker/product/device:release/...
  fingerprint STRING
)
-- The name, as 'raven'.
RETURNS STRING AS
SELECT nullif(str_split(str_split($fingerprint, '/', 2), ':', 0), '');

-- The device of each machine that says so.
CREATE PERFETTO TABLE android_device_name(
  -- Name of the device.
  name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT android_device_name_from_fingerprint(str_value) AS name, machine_id
FROM metadata
WHERE name = 'android_build_fingerprint'
ORDER BY machine_id;
