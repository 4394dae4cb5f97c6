-- Frequencies of devices that scale theirs, as intervals.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _linux_devfreq_counters AS
SELECT
  i.id, i.ts, i.dur, i.track_id, CAST(i.value AS INT) AS freq,
  extract_arg(t.dimension_arg_set_id, 'linux_device') AS device
FROM counter_leading_intervals!(
  (
    SELECT c.* FROM counter AS c JOIN track AS t ON c.track_id = t.id
    WHERE t.type = 'linux_device_frequency'
  )
) AS i
JOIN track AS t ON t.id = i.track_id
ORDER BY i.ts;

-- The frequencies of one of them, by its name.
CREATE PERFETTO FUNCTION _get_devfreq_counters(device_name STRING)
RETURNS TABLE(id LONG, ts TIMESTAMP, dur DURATION, freq LONG) AS
SELECT id, ts, dur, freq FROM _linux_devfreq_counters WHERE device GLOB $device_name;

-- The frequency of the unit that the cpus of a cluster share.
CREATE PERFETTO TABLE linux_devfreq_dsu_counter(
  id LONG, ts TIMESTAMP, dur DURATION, dsu_freq LONG
) AS
SELECT id, ts, dur, freq AS dsu_freq FROM _get_devfreq_counters('*dsufreq*') ORDER BY ts;
