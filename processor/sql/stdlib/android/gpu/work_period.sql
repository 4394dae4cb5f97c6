-- Work of graphics processors by user.

-- The tracks of periods in which a processor worked for a user.
CREATE PERFETTO TABLE android_gpu_work_period_track(
  -- Number of the track.
  id LONG,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The user it worked for.
  uid LONG,
  -- The processor, by its number in the table gpu.
  ugpu LONG,
  -- The processor, by its number in its machine.
  gpu_id LONG
) AS
SELECT
  id, machine_id,
  extract_arg(dimension_arg_set_id, 'uid') AS uid,
  extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu,
  extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id
FROM track
WHERE type = 'android_gpu_work_period'
ORDER BY id;
